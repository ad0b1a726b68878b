import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { pino, type DestinationStream } from "pino";

const STANDARD_ERROR = 2;
/** If the reader of the log does not read, further lines than this are lost, so that memory does not grow. */
const MAX_WAITING_BYTES = 16 * 1_048_576;
const RETRY_MS = 100;
/** How long the end of the process waits for the reader of the last lines. */
const LAST_LINES_MS = 1_000;
const LAST_RETRY_MS = 10;

/** Where lines of the log go. */
interface LogOutput extends DestinationStream {
  /** Writes when the process ends, where nothing runs in the background any more. */
  writeLast(line: string): void;
}

/** Writes in the background. */
export const backgroundLines = (): LogOutput => nonBlocking() ?? withoutErrors(false);

/** Writes before the call returns, unless standard error has a reader that is late: then as soon as it reads. */
export const directLines = (): LogOutput => nonBlocking() ?? withoutErrors(true);

/** All lines share it, because no other line may begin in the middle of one that a full pipe has cut. */
const nonBlocking = (): LogOutput | null => (opened === undefined ? (opened = openNonBlocking()) : opened);
let opened: LogOutput | null | undefined;

function withoutErrors(sync: boolean): LogOutput {
  const destination = pino.destination({ fd: STANDARD_ERROR, sync, maxLength: MAX_WAITING_BYTES });
  // A full disk or a terminal that is gone must not end the server.
  destination.on("error", () => undefined);
  return { write: (line) => destination.write(line), writeLast };
}

/**
 * Standard error as a pipe or a socket that does not block, in which a write would stop the whole server; null if it is
 * neither. A pipe is opened once more, because other processes may have the same descriptor.
 */
function openNonBlocking(): LogOutput | null {
  try {
    const file = fstatSync(STANDARD_ERROR);
    if (file.isSocket()) return socketOutput();
    if (!file.isFIFO()) return null;
    return pipeOutput(openSync("/proc/self/fd/2", constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Without /proc, without permission, or without a reader.
    return null;
  }
}

interface Blocking {
  /** Not in the documentation of Node. */
  readonly _handle?: { setBlocking?(isBlocking: boolean): void };
}

/**
 * A socket, such as that of the systemd journal, can't be opened once more. Whether it blocks is the same for all processes
 * that have it, and each process that starts makes it block again.
 */
function socketOutput(): LogOutput {
  process.stderr.on("error", () => undefined);
  const { _handle: handle } = process.stderr as Blocking;
  return pipeOutput(STANDARD_ERROR, () => handle?.setBlocking?.(false));
}

function pipeOutput(descriptor: number, beforeWriting = (): void => undefined): LogOutput {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | null = null;
  /** @throws Error of the system, such as `EAGAIN` for a full pipe */
  const writeRoom = (): void => {
    beforeWriting();
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const written = writeSync(descriptor, next);
      waitingBytes -= written;
      if (written === next.length) waiting.shift();
      else waiting[0] = next.subarray(written);
    }
  };
  const writeWaiting = (): void => {
    timer = null;
    try {
      writeRoom();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN")
        timer = setTimeout(writeWaiting, RETRY_MS).unref();
      else waiting.length = waitingBytes = 0;
    }
  };
  const write = (line: string): void => {
    if (waitingBytes > MAX_WAITING_BYTES) return;
    const bytes = Buffer.from(line);
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (timer === null) writeWaiting();
  };
  process.once("exit", () => {
    // A reader that is only slow gets the last lines, too.
    for (
      const untilMs = performance.now() + LAST_LINES_MS;
      waiting.length > 0 && performance.now() < untilMs;
    ) {
      writeWaiting();
      if (waiting.length > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_RETRY_MS);
    }
  });
  return { write, writeLast: write };
}

function writeLast(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // A terminal that is gone must not change the exit code.
  }
}
