import type { Worker } from "node:cluster";

/** A connection that the first process passes to a worker. */
interface Handle {
  close(): void;
}

/**
 * When the worker ends, closes the connection that it was given and has not accepted. Node passes a worker one connection
 * at a time and waits for its answer, without end if the worker was killed: the client would wait as long. So only the last
 * connection can be waiting, and to close one that was accepted has no effect.
 */
export function closeWaitingAtExit(worker: Worker): void {
  let last: Handle | null = null;
  const child = worker.process;
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
  child.send = (...args: readonly unknown[]): boolean => {
    if (isNewConnection(args[0])) last = args[1] as Handle;
    return send(...args);
  };
  worker.once("exit", () => last?.close());
}

/** The form of this message is that of `lib/internal/cluster` in Node 20 and 24. */
const isNewConnection = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "act" in message && message.act === "newconn";
