import cluster from "node:cluster";
import type { Log } from "rowhouse/plugin-api";
import type { Address } from "../configuration/address.js";
import type { Start } from "../configuration/read-start.js";
import type { Supervision } from "./supervise.js";

/** What this process does with `--workers`: it starts the workers, or is one. */
export type Role =
  | {
      readonly kind: "first";
      supervise(supervision: Supervision): Promise<void>;
    }
  | {
      readonly kind: "worker";
      /** The log of the worker. Until it serves, only the first worker writes messages. */
      startLog(log: Log): Log;
      serve(start: Start, address: Address, readAgain: (log: Log) => Promise<Start>): Promise<void>;
    };

/** The role of this process. In a worker, it waits for the order to start. */
export async function roleOf(): Promise<Role> {
  if (cluster.isPrimary) {
    const { supervise } = await import("./supervise.js");
    return { kind: "first", supervise };
  }
  const { startedWorker } = await import("./worker.js");
  return { kind: "worker", ...(await startedWorker()) };
}
