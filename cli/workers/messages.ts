/** The environment variable that workers have: the configuration file of the first process, or empty without one. */
export const WORKER_VARIABLE = "ROWHOUSE_WORKER";

/** What the first process tells a worker. */
export type Order = StartOrder | { readonly kind: "write" | "drain" } | ReloadOrder | StopOrder;

export interface StartOrder {
  readonly kind: "start";
  /** From 1; no two workers that run have the same. */
  readonly number: number;
  /** The same for all workers: they accept each other's cookies, tokens and forms. */
  readonly secrets: readonly [string, ...string[]];
  /** The Unix socket of the worker that writes. */
  readonly socketPath: string;
  /** The same for all workers, also for those that replace others: port 0 would be another one each time. */
  readonly port: number;
  /** True for the worker that performs all writes. */
  readonly writes: boolean;
  /** True for the first worker: the others would print the same messages. */
  readonly logsStart: boolean;
}

export interface ReloadOrder extends Pick<StartOrder, "secrets"> {
  readonly kind: "reload";
}

export interface StopOrder {
  readonly kind: "stop";
  /** Default: the setting `shutdown_grace_ms`. */
  readonly graceMs?: number;
}

/** What a worker tells the first process: that it waits for orders (earlier ones are lost), and later that it serves. */
export type Report = { readonly kind: "waiting" } | { readonly kind: "alive" } | Ready | Reloaded;

/** A worker that serves reports so often that it is alive. */
export const REPORT_EVERY_MS = 5_000;

export interface Reloaded {
  readonly kind: "reloaded";
  /** Why the worker continues as before; null if it has reloaded. */
  readonly problem: string | null;
  /** As in `Ready`. */
  readonly root: string | null;
}

export interface Ready {
  readonly kind: "ready";
  readonly url: string;
  /** The one-time login link of the worker that writes; null without `--root`. */
  readonly root: string | null;
  /** The page for `--open`; null without it. */
  readonly firstPage: string | null;
  readonly graceMs: number;
}

/** True for a message of another process that has a kind, as these have. */
export const isMessage = (value: unknown): value is Order | Report =>
  typeof value === "object" && value !== null && "kind" in value;
