// The program of a process that runs untrusted SQL. The server starts it with a pipe as file descriptor 3. The build
// bundles it with what it imports into child.cjs, which starts sooner and needs less memory.
import { once } from "node:events";
import { Socket } from "node:net";
import { FrameReader } from "./frames.js";
import { lowerPriority } from "./low-priority.js";
import { decodeCommand, encodeReply, type Reply } from "./messages.js";
import { Runner } from "./runner.js";

const PIPE = 3;
const channel = new Socket({ fd: PIPE, readable: true, writable: true });

/** `process.exit` waits for the threads of SQLite, and a single function can keep one busy for minutes. */
const endNow = (): void => void process.kill(process.pid, "SIGKILL");

// The pipe ends when the server does, however that came about.
channel.on("end", endNow).on("close", endNow).on("error", endNow);

/** Replies are written together while further commands wait: each write costs both sides as much as a short statement. */
const REPLIES_AT_ONCE = 4;
const BYTES_AT_ONCE = 65_536;
const LONGEST_DELAY_MS = 1;
let unwritten = 0;
let flushTimer: NodeJS.Timeout | undefined;

function flush(): void {
  if (unwritten === 0) return;
  unwritten = 0;
  clearTimeout(flushTimer);
  flushTimer = undefined;
  channel.uncork();
}

function send(reply: Reply, body?: Uint8Array): void {
  if (unwritten === 0) {
    channel.cork();
    flushTimer = setTimeout(flush, LONGEST_DELAY_MS);
  }
  unwritten += 1;
  for (const piece of encodeReply(reply, body)) channel.write(piece);
  const isEnough = unwritten >= REPLIES_AT_ONCE || channel.writableLength >= BYTES_AT_ONCE;
  if (isEnough || !runner.isBusy) flush();
}

/** Resolves when the server has taken what was sent. */
const drained = (): Promise<unknown> | null =>
  unwritten === 0 && channel.writableNeedDrain && channel.writableLength > 0 ? once(channel, "drain") : null;

const runner = new Runner({ send, drained });
const frames = new FrameReader();
channel.on("data", (piece: Buffer) => {
  for (const frame of frames.push(piece)) runner.accept(decodeCommand(frame));
});
// Only now: the start is short, and others wait for it.
lowerPriority();
send({ type: "ready", id: 0 });
