// Reads a small page again and again, and posts each reply. A thread of its own: the other clients of the soak keep
// their thread busy for up to 10 ms, which is not time of the server.
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { ask } from "./ask.js";

/** A reply; `status` is null if the connection broke. */
export interface SmallPageReply {
  readonly status: number | null;
  readonly ms: number;
}

const PAUSE_MS = 5;

async function readPage(url: string): Promise<SmallPageReply> {
  const began = performance.now();
  const status = await ask(url).catch(() => null);
  return { status, ms: performance.now() - began };
}

for (;;) {
  // A port of a thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(await readPage(workerData as string));
  await sleep(PAUSE_MS);
}
