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

function send(reply: Reply, body?: Uint8Array): void {
  const pieces = encodeReply(reply, body);
  if (pieces.length > 1) channel.cork();
  for (const piece of pieces) channel.write(piece);
  if (pieces.length > 1) channel.uncork();
}

/** Resolves when the server has taken what was sent. */
const drained = (): Promise<unknown> | null =>
  channel.writableNeedDrain && channel.writableLength > 0 ? once(channel, "drain") : null;

const runner = new Runner({ send, drained });
const frames = new FrameReader();
channel.on("data", (piece: Buffer) => {
  for (const frame of frames.push(piece)) runner.accept(decodeCommand(frame));
});
// Only now: the start is short, and others wait for it.
lowerPriority();
send({ type: "ready", id: 0 });
