// `npm run faults`: each fault 50 times, with rows that are inserted before, during and after it.
// `-- --times 5` for less; name faults to make only these. It ends with 1 if an acknowledged row is lost.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { faults, type Fault } from "./faults/faults.js";
import { FaultyServer } from "./faults/server.js";

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { times: { type: "string", default: "50" } },
});
const times = Number(options.times);
const SMALL_DISK = "size=8m";
const run = promisify(execFile);

let isGood = true;
for (const [name, fault] of Object.entries(faults)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const outcome = await makeFault(fault).catch((error: Error) => {
    isGood = false;
    return error.message;
  });
  console.log(`${name.padEnd(26)}${outcome}`);
}
process.exit(isGood ? 0 : 1);

async function makeFault(fault: Fault): Promise<string> {
  const obstacle = fault.obstacle?.() ?? null;
  if (obstacle !== null) return `not made: ${obstacle}`;
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-faults-"));
  const place = join(folder, "disk");
  await mkdir(place);
  let isMounted = false;
  try {
    if (fault.onSmallDisk === true) {
      const error = await run("mount", ["-t", "tmpfs", "-o", SMALL_DISK, "tmpfs", place]).catch(String);
      if (typeof error === "string") return "not made: mount is not permitted";
      isMounted = true;
    }
    return await repeat(fault, place);
  } finally {
    if (isMounted) await run("umount", ["--lazy", place]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function repeat(fault: Fault, folder: string): Promise<string> {
  const server = await FaultyServer.start(folder, fault.words, fault.environment?.(folder));
  try {
    for (let turn = 0; turn < times; turn += 1) {
      await server.recover();
      await fault.strike(server, turn);
    }
    await server.recover();
    const lost = await server.lostRows();
    if (lost > 0) isGood = false;
    return `${times} times, ${server.acknowledged} rows acknowledged, ${lost} lost`;
  } finally {
    server.program.stop();
  }
}
