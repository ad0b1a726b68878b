import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDatabase } from "../harness/raw-sqlite.js";
import { callCommand, leaveSharedProcess, useSharedProcess, type Ended } from "./shared-process.js";

export type { Ended } from "./shared-process.js";

/** The file behind the command. */
export const launcher = fileURLToPath(new URL("../../cli/rowhouse.cjs", import.meta.url));

/** A folder that goes away after the specs of a file. */
export interface Workplace {
  readonly folder: string;
  /** Writes files; objects become JSON. */
  write(files: Readonly<Record<string, unknown>>): void;
  /** Makes a database file with one table `t` of two rows, or by a script. */
  database(name: string, script?: string): Promise<void>;
  /** Runs the command in the folder to its end. @param input what it reads from its standard input */
  run(
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
    input?: string,
  ): Promise<Ended>;
  /**
   * As `run`, in one process with all others that are called: Node and the modules take most of the time of a short
   * command. For those that end by themselves and load no plugin that has changed since an earlier call.
   */
  call(
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
    input?: string,
  ): Promise<Ended>;
  /** Sends a signal to everything that was started and still runs. */
  killAll(signal: NodeJS.Signals): void;
  /** Starts a server on a free port. */
  serve(words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Serving>;
}

/** A server that runs until it is stopped. */
export interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Everything said so far on standard error. */
  said(): string;
  /** Everything printed so far on standard output. */
  printed(): string;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Arguments with limits of time that a slow machine keeps. An argument after these overrides them. */
export const longTimeLimits: readonly string[] = [
  "sql_time_limit_ms",
  "facet_time_limit_ms",
  "facet_suggest_time_limit_ms",
].flatMap((name) => ["--setting", name, "30000"]);

const TWO_ROWS =
  "create table t (id integer primary key, name text); insert into t values (1, 'one'), (2, 'two');";

/** Call inside `describe`: the folder is made before its specs and removed after them, servers and all. */
export function workplace(): Workplace {
  let folder = "";
  const children: ChildProcess[] = [];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "rowhouse-cli-"));
    useSharedProcess();
  });
  after(async () => {
    for (const child of children) child.kill("SIGKILL");
    await leaveSharedProcess();
    // A process that was killed may still write, such as compiled code that Node keeps.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const start = (
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input?: string,
  ) => {
    const child = spawn(process.execPath, [launcher, ...words], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, ...environment },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdin?.end(input);
    children.push(child);
    return watched(child);
  };
  return {
    get folder() {
      return folder;
    },
    write: (files) => writeFiles(folder, files),
    database: (name, script = TWO_ROWS) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      return buildDatabase(join(folder, name), script);
    },
    run: (words, environment, input) => start(words, environment, input).ended,
    call: (words, environment = {}, input = "") => callCommand({ folder, words, environment, input }),
    killAll: (signal) => children.forEach((child) => child.kill(signal)),
    serve: async (words, environment) => {
      const server = start([...words, "-p", "0"], environment);
      return { ...server, url: await listening(server) };
    },
  };
}

function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

type Watched = Omit<Serving, "url">;

function watched(child: ReturnType<typeof spawn>): Watched {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    process: child,
    ended,
    said: () => stderr,
    printed: () => stdout,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The address in the line that says so. */
async function listening({ process: child, ended, said }: Watched): Promise<string> {
  const address = (): string | undefined =>
    /Rowhouse running on (\S+) \(Press CTRL\+C to quit\)/.exec(said())?.[1];
  return new Promise((resolve, reject) => {
    child.stderr?.on("data", () => {
      const url = address();
      if (url !== undefined) resolve(url);
    });
    void ended.then(({ stderr }) => reject(new Error(`It ended instead of serving: ${stderr}`)));
  });
}

/** Calls many commands before the specs that look at how each ended. */
export function endings(
  place: Workplace,
  commands: Readonly<Record<string, readonly string[]>>,
  environment?: Readonly<Record<string, string>>,
): (name: string) => Ended {
  const ended = new Map<string, Ended>();
  before(async () => {
    for (const [name, words] of Object.entries(commands))
      ended.set(name, await place.call(words, environment));
  });
  return (name) => {
    const found = ended.get(name);
    if (found === undefined) throw new Error(`${name} was not run`);
    return found;
  };
}
