import yargs from "yargs";
import type { Effort } from "./load.js";

const PARTS = [
  "pages",
  "bounds",
  "peers",
  "isolation",
  "first-page",
  "start",
  "workers",
  "postgres",
  "logs",
  "output",
  "permissions",
  "growth",
  "memory",
  "streams",
  "writes",
] as const;

/** A part of the measurements, which can be named alone. */
export type Part = (typeof PARTS)[number];

/** What to measure, and how long. */
export interface BenchOptions extends Effort {
  readonly parts: readonly Part[];
  readonly rows: number;
  readonly pageRows: number;
  readonly requests: number;
  readonly only: readonly string[];
  readonly peer: readonly string[];
  readonly beside?: string;
}

/** Installs a package from the registry, so it runs only when it is named. */
const ONLY_NAMED: readonly Part[] = ["peers"];

/** Reads the words after `npm run bench`. Prints the usage and ends the process on `--help` and on unknown words. */
export function commandLine(words: readonly string[]): BenchOptions {
  const parsed = yargs([...words])
    .scriptName("npm run bench --")
    .usage("$0 [part...] [options]\n\nMeasures all parts, or the named ones.")
    .command("$0 [part..]", false, (command) =>
      command.positional("part", { choices: PARTS, array: true, describe: "The parts to measure" }),
    )
    .options({
      seconds: { type: "number", default: 2, describe: "Seconds of each round" },
      rounds: { type: "number", default: 5, describe: "Rounds of each program" },
      connections: { type: "number", default: 10, describe: "Connections at once" },
      warm: { type: "number", default: 10_000, describe: "Requests before the first round" },
      rows: { type: "number", default: 1_000_000, describe: "Rows of streams and growth" },
      "page-rows": { type: "number", default: 200_000, describe: "Rows of the table of pages" },
      requests: { type: "number", default: 100_000, describe: "Requests of memory" },
      only: {
        type: "string",
        array: true,
        default: [],
        describe: "Only workloads with this text in the name",
      },
      peer: { type: "string", array: true, default: [], describe: "Another server: name|command|address" },
      beside: { type: "string", describe: "Another built checkout, for start" },
    })
    .requiresArg(["seconds", "rounds", "connections", "warm", "rows", "page-rows", "requests"])
    .check(({ _: _words, $0: _name, ...values }) => {
      const bad = Object.entries(values).find(
        ([, value]) => typeof value === "number" && !(Number.isFinite(value) && value > 0),
      );
      return bad === undefined || `--${bad[0]} must be a number above 0`;
    })
    .parserConfiguration({ "greedy-arrays": false })
    .strict()
    .version(false)
    .parseSync();
  const named = (parsed["part"] ?? []) as readonly Part[];
  const parts = PARTS.filter((part) =>
    named.length === 0 ? !ONLY_NAMED.includes(part) : named.includes(part),
  );
  const { beside, ...rest } = parsed;
  return { ...rest, parts, ...(beside !== undefined && { beside }) };
}
