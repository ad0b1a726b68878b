import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { longTimeLimits, type Serving, type Workplace } from "../cli/command.js";
import { readCommand } from "./command-line.js";
import { curl } from "./curl.js";
import { matchesJson, matchesText } from "./expectation.js";
import type { Fence } from "./markdown.js";

/** Where the pages say that the server is. */
const PRINTED = "http://127.0.0.1:8001";
const MOCHA = fileURLToPath(import.meta.resolve("mocha/bin/mocha.js"));
const ENDING_COMMANDS = new Set([
  "create-token",
  "tokens",
  "revoke-token",
  "inspect",
  "plugins",
  "install",
  "uninstall",
  "insert",
  "backup",
  "restore",
  "reload",
  "doctor",
  "plugin",
  "package",
  "publish",
]);
/** Those after which a process would find packages, or a database's file, that it has looked at before. */
const CHANGES_FILES = new Set(["install", "uninstall", "restore", "plugin"]);
/** Node loads a module once in a process, whatever its file contains later. */
const MODULE = /\.[cm]?[jt]s$/;
// For what a reader runs, on a machine that has much else to do.
const TIME_LIMIT_MS = 120_000;
/** `NAME=value` in front of a command. */
const ASSIGNMENT = /^[A-Z_]+=/;
/** The server warns about slow statements. Which ones are slow depends on the machine, so no page shows these lines. */
const SLOW_STATEMENT = /^Warning: A statement on \S+ took \d+ ms: .*\n/gm;
const ENDING_OPTIONS = ["--get", "--help", "--version", "--help-settings"];

/** Follows the instructions of a page from top to bottom, in a folder with `library.db`. */
export class Reader {
  readonly #place: Workplace;
  readonly #variables = new Map<string, string>();
  #server: Serving | null = null;
  /** Modules of the page, or packages, may have changed since an earlier command. */
  #hasChangedFiles = false;
  /** What the last command said. */
  #output: string | null = null;

  constructor(place: Workplace) {
    this.#place = place;
  }

  /** @param repository whose package the examples find as `rowhouse`, and some of its packages beside it */
  async begin(script: string, repository: string): Promise<void> {
    await this.#place.database("library.db", script);
    const packages = join(this.#place.folder, "node_modules");
    mkdirSync(packages);
    symlinkSync(repository, join(packages, "rowhouse"));
    symlinkSync(join(repository, "node_modules/express"), join(packages, "express"));
  }

  /** @throws Error when what happens is not what the page says */
  async follow(fence: Fence): Promise<void> {
    if (fence.title !== null) return this.#write(fence.title, fence.text);
    if (fence.language === "console") return this.#runAll(fence.text);
    if (fence.language !== "json") throw new Error("it is neither run nor marked as no-run");
    return this.#compareJson(fence.text);
  }

  #write(name: string, text: string): void {
    if (MODULE.test(name)) this.#hasChangedFiles = true;
    this.#place.write({ [name]: text });
  }

  async end(): Promise<void> {
    await this.#server?.stop();
  }

  async #runAll(text: string): Promise<void> {
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [, line = "", printed = ""] = /^((?:.*\\\n)*.*)\n?([^]*)$/.exec(step) ?? [];
      const said = await this.#run(line);
      this.#output = said;
      if (printed.trim() !== "" && !matchesText(said, printed)) {
        throw new Error(`$ ${line}\nsays\n${said}\nand not\n${printed}`);
      }
    }
  }

  async #run(line: string): Promise<string> {
    const { words, into } = readCommand(line, this.#variables);
    const said = await this.#carryOut(words, { isCaptured: into !== null });
    if (into === null) return said;
    this.#variables.set(into, said.trim());
    return "";
  }

  async #carryOut(
    line: readonly string[],
    { isCaptured }: { readonly isCaptured: boolean },
  ): Promise<string> {
    const start = line.findIndex((word) => !ASSIGNMENT.test(word));
    const given = Object.fromEntries(line.slice(0, start).map((word) => word.split(/=(.*)/s)));
    const [program, ...words] = line.slice(start);
    if (program === "curl") return this.#curl(words);
    if (program === "node") return this.#runNode(words);
    if (program === "npx" && words[0] === "mocha")
      return this.#runNode([MOCHA, "--timeout", String(TIME_LIMIT_MS), ...words.slice(1)]);
    if (program !== "rowhouse") throw new Error(`${program} is not a command of these examples`);
    const ends = ENDING_COMMANDS.has(words[0] ?? "") || words.some((word) => ENDING_OPTIONS.includes(word));
    // Variables of a shell are not in the environment of its commands.
    if (!ends) return this.#serve([...longTimeLimits, ...words], given);
    const limits = words.includes("--get") ? longTimeLimits : [];
    if (CHANGES_FILES.has(words[0] ?? "")) this.#hasChangedFiles = true;
    const run = this.#hasChangedFiles ? this.#place.run : this.#place.call;
    const { stdout, stderr } = await run([...limits, ...words], given);
    // `$(...)` takes what goes to standard output.
    return isCaptured ? stdout : stdout + stderr.replaceAll(SLOW_STATEMENT, "");
  }

  async #curl(words: readonly string[]): Promise<string> {
    const { folder } = this.#place;
    const readFile = (name: string): string => readFileSync(join(folder, name), "utf8");
    return this.#asPrinted(await curl(words, { origin: this.#origin(), printedOrigin: PRINTED, readFile }));
  }

  /** What a script says; ANSI colours are off where the output is no terminal. */
  #runNode(words: readonly string[]): Promise<string> {
    const { folder } = this.#place;
    const url = this.#server?.url ?? PRINTED;
    const real = words.map((word) => word.replaceAll(PRINTED, url));
    return new Promise((resolve) => {
      execFile(process.execPath, real, { cwd: folder, timeout: TIME_LIMIT_MS }, (_error, stdout, stderr) =>
        resolve(this.#asPrinted(stdout + stderr)),
      );
    });
  }

  async #serve(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
    await this.#server?.stop();
    this.#server = await this.#place.serve(words, environment);
    return this.#asPrinted(this.#server.said());
  }

  #origin(): string {
    if (this.#server === null) throw new Error("no server was started");
    return this.#server.url;
  }

  #asPrinted(text: string): string {
    const steady = text.replaceAll(SLOW_STATEMENT, "");
    return this.#server === null ? steady : steady.replaceAll(this.#server.url, PRINTED);
  }

  #compareJson(printed: string): void {
    if (this.#output === null) throw new Error("there is no command in front of it");
    const actual: unknown = JSON.parse(this.#output);
    if (matchesJson(actual, JSON.parse(printed))) return;
    throw new Error(`The reply is\n${JSON.stringify(actual, null, 2)}`);
  }
}
