import type { Worker } from "node:cluster";

/** A connection that the first process passes to a worker. */
interface Handle {
  close(): void;
}

/**
 * Closes a connection that a worker was given but did not accept before it died. Node passes a worker one connection at a
 * time and waits for its answer, without end if the worker has been killed: the client would wait as long. Only the last
 * connection can be such a one. To close it again has no effect.
 */
export function closeWaitingConnection(worker: Worker): void {
  let last: Handle | null = null;
  const child = worker.process;
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
  child.send = (...args: readonly unknown[]): boolean => {
    if (isNewConnection(args[0])) last = args[1] as Handle;
    return send(...args);
  };
  worker.once("exit", () => last?.close());
}

/** The form of this message is that of `lib/internal/cluster` in Node 20 to 24. */
const isNewConnection = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "act" in message && message.act === "newconn";
