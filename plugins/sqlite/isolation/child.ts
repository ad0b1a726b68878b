// The program of a process that runs untrusted SQL. The server starts it with a pipe as file descriptor 3.
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
  channel.cork();
  for (const piece of encodeReply(reply, body)) channel.write(piece);
  channel.uncork();
}

const runner = new Runner(send);
const frames = new FrameReader();
channel.on("data", (piece: Buffer) => {
  for (const frame of frames.push(piece)) runner.accept(decodeCommand(frame));
});
lowerPriority();
send({ type: "ready" });
