import { channel } from "node:diagnostics_channel";
import type { SqlProcessTrace } from "rowhouse/plugin-api/contracts";

const processes = channel("rowhouse:sql-process");

const publish = (state: SqlProcessTrace["state"]): void =>
  processes.publish({ state } satisfies SqlProcessTrace);

/** Publishes the start of a process now, and its end when the promise resolves, for metrics. */
export function reportLifetime(ended: Promise<void>): void {
  publish("started");
  void ended.then(() => publish("ended"));
}
