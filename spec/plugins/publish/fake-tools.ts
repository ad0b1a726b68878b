import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "../../cli/command.js";

/** One time that a foreign program was run. */
export interface Call {
  readonly program: string;
  readonly words: readonly string[];
  readonly input: string;
  /** A copy of the folder that it was given, as its last word or to work in; null for none. */
  readonly folder: string | null;
  /** The file behind `--env-vars-file`. */
  readonly environmentFile: { readonly text: string; readonly mode: number } | null;
}

/** What a program says on standard output, by how its words begin. A number is an exit code. */
export type Answers = Readonly<Record<string, string | number>>;

/** A machine on which some foreign programs are installed, and no others. */
export interface Machine {
  readonly environment: Readonly<Record<string, string>>;
  /** The commands that were run, in order, each once. */
  calls(): readonly Call[];
}

/** Takes down what it was called with. The programs themselves would need accounts and a network. */
const standIn = (records: string, answers: Answers): string => `#!${process.execPath}
const fs = require("node:fs");
const { basename, join } = require("node:path");
const words = process.argv.slice(2);
const number = fs.readdirSync(${JSON.stringify(records)}).filter((name) => name.endsWith(".json")).length;
const record = join(${JSON.stringify(records)}, String(number).padStart(3, "0"));
const given = [words.at(-1), process.cwd()].find((path) => path && fs.existsSync(join(path, "package.json")));
if (given) fs.cpSync(given, record, { recursive: true });
const file = words[words.indexOf("--env-vars-file") + 1];
const environmentFile = words.includes("--env-vars-file")
  ? { text: fs.readFileSync(file, "utf8"), mode: fs.statSync(file).mode & 0o777 }
  : null;
fs.writeFileSync(record + ".json", JSON.stringify({
  program: basename(process.argv[1]), words, input: fs.readFileSync(0, "utf8"),
  folder: given ? record : null, environmentFile,
}));
const answers = ${JSON.stringify(answers)};
const found = Object.keys(answers).find((start) => (words.join(" ") + " ").startsWith(start + " "));
const answer = found === undefined ? "" : answers[found];
if (typeof answer === "number") process.exitCode = answer;
else process.stdout.write(answer);
`;

/** Call inside a hook or a test. @param programs by name what they answer */
export function machineWith(place: Workplace, programs: Readonly<Record<string, Answers>>): Machine {
  const folder = join(place.folder, `machine-${Math.random().toString(36).slice(2)}`);
  const records = join(folder, "records");
  mkdirSync(records, { recursive: true });
  for (const [name, answers] of Object.entries(programs)) {
    writeFileSync(join(folder, name), standIn(records, answers), { mode: 0o755 });
  }
  let told = 0;
  return {
    environment: { PATH: folder },
    calls: () => {
      const all = readdirSync(records).filter((name) => name.endsWith(".json"));
      const fresh = all.toSorted().slice(told);
      told = all.length;
      return fresh.map((name) => JSON.parse(readFileSync(join(records, name), "utf8")) as Call);
    },
  };
}

/** Every file below a folder, with its text. */
export function filesIn(folder: string): ReadonlyMap<string, string> {
  // With `recursive`, Node follows links from version 22 on.
  const files = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return [...filesIn(path)].map(([name, text]) => [join(entry.name, name), text] as const);
    return entry.isFile() ? [[entry.name, readFileSync(path, "utf8")] as const] : [];
  });
  return new Map(files);
}
