// Runs command lines one after another, each as `rowhouse` does in a process of its own. Reads them from descriptor 3,
// a line of JSON each, and writes there how each ended. Ends when descriptor 3 is closed and no command has left
// anything open.
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { CommandLine, Ended } from "./shared-process.js";

const BUNDLE = "../../bundle/main.js";
const { main } = (await import(BUNDLE)) as { main: (words: readonly string[]) => Promise<void> };

const written = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"] as const) {
  process[name].write = ((text: string | Uint8Array, ...more: readonly unknown[]) => {
    written[name] += typeof text === "string" ? text : Buffer.from(text).toString("utf8");
    const done = more.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  }) as typeof process.stdout.write;
  // Each command adds listeners, which an ordinary process has once.
  process[name].setMaxListeners(0);
}
process.setMaxListeners(0);

async function run({ folder, words, environment, input }: CommandLine): Promise<Ended> {
  const before = { ...process.env };
  const added = { HOME: folder, ...environment };
  Object.assign(process.env, added);
  process.chdir(folder);
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  process.exitCode = 0;
  await main(words);
  for (const name of Object.keys(added)) delete process.env[name];
  Object.assign(process.env, before);
  const ended = { code: Number(process.exitCode), ...written };
  written.stdout = written.stderr = "";
  process.exitCode = 0;
  return ended;
}

let isClosed = false;
process.once("exit", () => {
  // What a command prints after it has ended would be missing from what it printed.
  if (!isClosed || written.stdout + written.stderr !== "") process.exitCode = 1;
});

const parent = new Socket({ fd: 3 });
for await (const line of createInterface({ input: parent })) {
  parent.write(`${JSON.stringify(await run(JSON.parse(line) as CommandLine))}\n`);
}
isClosed = true;
parent.end();
