// The program of a process that runs untrusted SQL. The server starts it with a pipe as file descriptor 3. The build
// bundles it with what it imports into child.cjs, which starts sooner and needs less memory.
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Socket } from "node:net";
import { getPriority, setPriority } from "node:os";
import { FrameReader } from "./frames.js";
import { decodeCommand, encodeReply, type Reply } from "./messages.js";
import { limitStatementCaches } from "../sql/statement-caches.js";
import { Runner } from "./runner.js";

const PIPE = 3;
const channel = new Socket({ fd: PIPE, readable: true, writable: true });

/** `process.exit` waits for the threads of SQLite, and a single function can keep one busy for minutes. */
const endNow = (): void => void process.kill(process.pid, "SIGKILL");

// The pipe ends when the server ends, also if it was killed.
channel.on("end", endNow).on("close", endNow).on("error", endNow);

function send(reply: Reply, body?: Uint8Array): void {
  for (const piece of encodeReply(reply, body)) channel.write(piece);
}

/** Resolves when the server has taken what was sent. */
const drained = (): Promise<unknown> | null =>
  channel.writableNeedDrain && channel.writableLength > 0 ? once(channel, "drain") : null;

/**
 * Lower than the priority of the server, so that pages come first on a busy machine. With 10 steps, statements would
 * hardly run beside other programs.
 */
const STEPS_BELOW = 5;
const LOWEST = 19;

/** Lowers the priority of this process. Linux keeps one for each thread, those of SQLite included. */
function lowerPriority(): void {
  const priority = Math.min(getPriority() + STEPS_BELOW, LOWEST);
  for (const thread of threads()) {
    try {
      setPriority(thread, priority);
    } catch {
      // The thread has ended, or the system does not allow it. Statements run without it.
    }
  }
}

function threads(): readonly number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}

/** Statements of clients rarely repeat, and each process has caches of its own. */
const STATEMENT_CACHE_BYTES = 2 * 1_048_576;
limitStatementCaches(STATEMENT_CACHE_BYTES);

const runner = new Runner({ send, drained });
const frames = new FrameReader();
channel.on("data", (piece: Buffer) => {
  for (const frame of frames.push(piece)) runner.accept(decodeCommand(frame));
});
// After the start, for which statements wait.
lowerPriority();
send({ type: "ready", id: 0 });
