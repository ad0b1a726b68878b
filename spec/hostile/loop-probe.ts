import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Serving, Workplace } from "../cli/command.js";
import { until } from "../harness/until.js";

/**
 * Writes down, at SIGUSR2, the longest time that the event loop was blocked since the last signal. It is processor
 * time of the main thread, so other programs of a busy machine do not add to it.
 */
const PROBE = `
import { readFileSync, writeFileSync } from "node:fs";
const mainThreadMs = () => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;
let before = mainThreadMs();
let longest = 0;
let turn = 0;
const look = () => {
  const now = mainThreadMs();
  longest = Math.max(longest, now - before);
  before = now;
};
setInterval(look, 1).unref();
process.on("SIGUSR2", () => {
  look();
  writeFileSync("blocked-" + ++turn + ".json", JSON.stringify({ longest }));
  longest = 0;
});`;

const TOUCHED_BYTES = 20_000_000;
/** A machine that needs longer to fill this much new memory is slow: most take less than 10 ms. */
const USUAL_TOUCH_MS = 15;

/**
 * How many times longer than usual this machine takes to fill new memory, at least 1. Virtual machines whose host takes
 * memory back can take ten times as long, and a value of 20 MB is copied several times.
 */
function slownessOfMemory(): number {
  const touches = Array.from({ length: 3 }, () => {
    const began = performance.now();
    Buffer.alloc(TOUCHED_BYTES, "x");
    return performance.now() - began;
  });
  return Math.max(1, Math.min(...touches) / USUAL_TOUCH_MS);
}

/**
 * No request may block the loop for 50 ms. Processor time doubles where other programs share the core and its caches, and
 * is longer where memory is slow.
 */
export const LIMIT_MS = Math.ceil(100 * slownessOfMemory());

/** The best of some tries counts: whatever else the machine does makes any one of them longer. */
const TRIES = 4;

/** Measures how long requests block the event loop of a server. Linux only. */
export class LoopProbe {
  #turn = 0;

  constructor(
    private readonly place: Workplace,
    private readonly server: () => Serving,
  ) {}

  /** Variables with which the server starts. */
  get environment(): Readonly<Record<string, string>> {
    this.place.write({ "probe.mjs": PROBE });
    return { NODE_OPTIONS: `--import ${join(this.place.folder, "probe.mjs")}` };
  }

  async leastBlockedMs(title: string, send: () => Promise<void>): Promise<number> {
    const found: number[] = [];
    while (found.length < TRIES && !found.some((ms) => ms < LIMIT_MS)) {
      await this.#blockedMs();
      await send();
      found.push(Math.round(await this.#blockedMs()));
    }
    if (process.env["ROWHOUSE_SHOW_FIGURES"] !== undefined) console.log(title, found);
    return Math.min(...found);
  }

  async #blockedMs(): Promise<number> {
    this.server().process.kill("SIGUSR2");
    this.#turn += 1;
    const file = join(this.place.folder, `blocked-${this.#turn}.json`);
    await until(async () => (await readFile(file, "utf8").catch(() => "")).endsWith("}"));
    const { longest } = JSON.parse(await readFile(file, "utf8")) as { longest: number };
    return longest;
  }
}
