import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../../harness/until.js";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** A site that was started from a generated folder. */
export interface Site {
  readonly url: string;
  get(path: string): Promise<{ readonly status: number; readonly headers: Headers; readonly json: unknown }>;
  stop(): Promise<void>;
}

/** In place of `npm install`: this Rowhouse is what the folder depends on. */
function installRowhouse(folder: string): void {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(ROOT, join(folder, "node_modules/rowhouse"));
  symlinkSync(join(ROOT, "dist/cli/rowhouse.cjs"), join(folder, "node_modules/.bin/rowhouse"));
}

/** The words behind an instruction of a Dockerfile, of its last one in JSON form. */
export function instruction(folder: string, name: "RUN" | "CMD"): readonly string[] {
  const lines = readFileSync(join(folder, "Dockerfile"), "utf8").split("\n");
  const found = lines.findLast((line) => line.startsWith(`${name} [`));
  if (found === undefined) throw new Error(`The Dockerfile has no ${name} in JSON form`);
  return JSON.parse(found.slice(name.length)) as string[];
}

/** Does what the Dockerfile of a folder says when the image is built. */
export async function buildImage(folder: string): Promise<void> {
  installRowhouse(folder);
  const [inspect = "", ...words] = instruction(folder, "RUN");
  await promisify(execFile)(join(folder, inspect), words, { cwd: folder });
}

/** Starts a folder that was built, as its Dockerfile says. */
export const startImage = (folder: string, secrets: Readonly<Record<string, string>>): Promise<Site> =>
  started(instruction(folder, "CMD"), folder, secrets);

/** Builds and starts a folder as `package.json` and `Procfile` say. */
export async function startApplication(
  folder: string,
  secrets: Readonly<Record<string, string>>,
): Promise<Site> {
  installRowhouse(folder);
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  await promisify(execFile)("sh", ["-c", scripts["heroku-postbuild"] ?? "false"], { cwd: folder });
  const web = /^web: (.*)$/m.exec(readFileSync(join(folder, "Procfile"), "utf8"))?.[1] ?? "";
  return started(["sh", "-c", `exec ${web}`], folder, secrets);
}

async function started(
  [program = "", ...words]: readonly string[],
  folder: string,
  secrets: Readonly<Record<string, string>>,
): Promise<Site> {
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH: process.env["PATH"], PORT: "0", ...secrets },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await address(child);
  return {
    url,
    get: async (path) => {
      const reply = await fetch(`${url}${path}`);
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, json: jsonOf(text) };
    },
    stop: async () => {
      child.kill();
      await until(() => child.exitCode !== null || child.signalCode !== null);
    },
  };
}

function address(child: ChildProcess): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /Rowhouse running on http:\/\/0\.0\.0\.0:(\d+) /.exec(said)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
    child.once("exit", () => reject(new Error(`It ended instead of serving: ${said}`)));
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
