import { atMost, defineSettings, LONGEST_TIMER_MS, type SettingsOf } from "../kernel/settings.js";
import type { Request } from "../http/request.js";

/** How the cache of replies answered: `revalidated` is 304, `uncacheable` a page that the cache does not keep. */
export type CacheState = "hit" | "miss" | "revalidated" | "uncacheable";

/** The service of the plugin that keeps replies. */
export interface ReplyCacheService {
  /** Null for requests that did not reach the cache. */
  stateOf(request: Request): CacheState | null;
  size(): { readonly entries: number; readonly bytes: number };
}

/** What the SQL of a request has taken so far. */
export interface SqlTiming {
  readonly statements: number;
  /** The sum of the statements, their waits included. Statements that run at the same time count separately. */
  readonly ms: number;
}

/** The service of the plugin timing. */
export interface TimingService {
  /** Null if SQL is not measured by request: see the setting `sql_timing`. */
  sqlOf(request: Request): SqlTiming | null;
  /** The request that the calling code works for; null if there is none, or if SQL is not measured. */
  currentRequest(): Request | null;
  /** Whether SQL is measured by request. */
  readonly isMeasuring: boolean;
}

/** The workers of `--workers`, as one of them sees them. */
export interface WorkerGroup {
  /** Of this worker, from 1. One that replaces another has its number. */
  readonly number: number;
  /**
   * The answers of all workers, this one included. Answers must be JSON; workers that do not answer within two seconds
   * are left out.
   */
  gather(topic: string): Promise<readonly unknown[]>;
  /** Sets the answer of this worker. @returns a function that removes it */
  answer(topic: string, make: () => unknown): () => void;
}

/** The settings of the plugin probes. */
export const probesSettings = defineSettings({
  /** Milliseconds after a signal in which `/-/ready` answers 503 and new connections are still accepted. */
  drain_delay_ms: {
    default: 0,
    help: "How long /-/ready answers 503 after a signal to end, before connections are refused, in milliseconds",
    unlisted: true,
    check: atMost(LONGEST_TIMER_MS),
  },
});

/** The settings of the plugin timing. */
export const timingSettings = defineSettings({
  /** Whether the SQL of each request is measured. Before Node 24, this costs about a sixth of the processor time. */
  sql_timing: {
    default: "auto" as "auto" | "on" | "off",
    help: "Measure the SQL of each request: on, off, or auto (on from Node 24, where it costs nothing, or if a setting needs it)",
    check: (value) =>
      value === "auto" || value === "on" || value === "off" ? null : '"sql_timing" should be auto, on or off',
    unlisted: true,
  },
  server_timing: {
    default: false,
    help: "Send the header Server-Timing with each reply",
    unlisted: true,
  },
});

/** The settings of the plugin request-log. */
export const requestLogSettings = defineSettings({
  slow_sql_ms: {
    default: 1000,
    help: "Log statements that take longer than this, in milliseconds; 0 logs none",
    unlisted: true,
  },
});

/** The settings of the plugin metrics. */
export const metricsSettings = defineSettings({
  metrics_port: {
    default: 0,
    help: "Serve metrics only on this port, to every client that can reach it; 0 serves them at /-/metrics",
    check: (value) => (value > 65_535 ? "must be a port, at most 65535" : null),
    unlisted: true,
  },
  metrics_host: {
    default: "127.0.0.1",
    help: "The address of the metrics port",
    unlisted: true,
  },
});

/** The settings of the plugin limits. */
export const limitsSettings = defineSettings({
  max_requests: {
    default: 0,
    help: "Requests of an actor, or of an anonymous address, in a window of time; 0 is no limit",
    unlisted: true,
  },
  max_sql_seconds: {
    default: 0,
    help: "Seconds in SQL of an actor or address in a window of time; 0 is no limit. Needs sql_timing",
    unlisted: true,
  },
  limit_window_seconds: { default: 60, help: "The window of these limits, in seconds", unlisted: true },
  max_requests_at_once: {
    default: 0,
    help: "Requests of an actor or address that are answered at the same time; 0 is no limit",
    check: (value) => (value === 1 ? "must be 0 or at least 2: some pages send a request themselves" : null),
    unlisted: true,
  },
  max_sql_at_once: {
    default: 0,
    help: "Requests with SQL of an actor or address (sql, _where) that run at the same time; 0 is no limit",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings
    extends
      SettingsOf<typeof probesSettings>,
      SettingsOf<typeof timingSettings>,
      SettingsOf<typeof requestLogSettings>,
      SettingsOf<typeof metricsSettings>,
      SettingsOf<typeof limitsSettings> {}
  interface Services {
    replyCache: ReplyCacheService;
    timing: TimingService;
  }
  interface Options {
    /**
     * True in one kernel of all: with `--workers` in the process that performs all writes, after a reload in the kernel
     * that answers new requests. Another one may become it. Work that should happen once asks each time:
     * `rowhouse.option("isWriter")?.() !== false`.
     */
    isWriter: () => boolean;
    /** Only with `--workers`. */
    workers: WorkerGroup;
  }
}
