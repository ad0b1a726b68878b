import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { Rowhouse } from "rowhouse/plugin-api";
import type { Metric } from "rowhouse/plugin-api/contracts";
import type { DatabaseLoad } from "rowhouse/plugin-api/engine";
import { cacheUse } from "rowhouse/plugin-api/kernel";
import { sqlProcesses, type MeasuredEvent } from "./events.js";
import { addPluginMetrics } from "./plugin-metrics.js";

/** What is counted and measured as it happens. */
export interface Counts {
  readonly registry: Registry;
  add(event: MeasuredEvent): void;
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SQL_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const COMMIT_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function startCounting(): Counts {
  const registry = new Registry();
  const registers = [registry];
  // Memory, processor time, open files, delay of the event loop, garbage collection.
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "rowhouse_request_duration_seconds",
    help: "From the arrival of a request until its reply was written",
    labelNames: ["route", "method", "status", "format"],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const bytes = new Counter({
    name: "rowhouse_response_body_bytes_total",
    help: "Bytes of bodies that were written",
    registers,
  });
  const incomplete = new Counter({
    name: "rowhouse_incomplete_replies_total",
    help: "Replies that did not reach their end, because the client left or the body failed",
    registers,
  });
  const cache = new Counter({
    name: "rowhouse_reply_cache_requests_total",
    help: "Requests for pages by the state of the cache of replies",
    labelNames: ["state"],
    registers,
  });
  const addEngineEvent = measureEngines(registry);
  return {
    registry,
    add(event) {
      if (event.kind !== "reply") return addEngineEvent(event);
      requests.observe(event.labels, event.seconds);
      bytes.inc(event.bytes);
      if (!event.isComplete) incomplete.inc();
      if (event.cache !== null) cache.inc({ state: event.cache });
    },
  };
}

/** What a kernel shows beside the counts. */
interface Shown {
  readonly kernel: Rowhouse;
  /** Those whose databases are in use. */
  readonly kernels: ReadonlySet<Rowhouse>;
  /** Those of other plugins. */
  readonly metrics: readonly Metric[];
}

/** The counts, and what is read when it is requested. */
export function completeRegistry(counts: Registry, { kernel, kernels, metrics }: Shown): Registry {
  const registry = Registry.merge([counts]);
  addLoads(kernels, registry);
  addGauges(kernel, registry);
  addPluginMetrics(kernel, registry, metrics);
  return registry;
}

/** The values of a registry for `combined`. @param worker the number of this worker */
export async function valuesOf(registry: Registry, worker: number | undefined): Promise<unknown> {
  const metrics = (await registry.getMetricsAsJSON()) as unknown as Values[];
  return metrics.map((metric) => ofWorker(metric, worker));
}

/** A metric as prom-client passes it from one process to another. */
interface Values {
  readonly type: string;
  readonly values: readonly { readonly labels: object }[];
}

/**
 * What only grows has a label for its worker. The sum of all would fall when one worker ends, is reloaded or answers too
 * late, and `rate` of Prometheus would take what the others have counted for new.
 */
const ofWorker = (metric: Values, worker: number | undefined): Values =>
  GROWING.has(metric.type)
    ? { ...metric, values: metric.values.map((one) => ({ ...one, labels: { ...one.labels, worker } })) }
    : metric;

const GROWING: ReadonlySet<string> = new Set(["counter", "histogram", "summary"]);

/** The metrics of several workers as one: sums of gauges, and what only grows for each worker. */
export const combined = (values: readonly unknown[]): Promise<string> =>
  AggregatorRegistry.aggregate(values as object[]).metrics();

type EngineEvent = Exclude<MeasuredEvent, { readonly kind: "reply" }>;

/** Creates the metrics of databases. Returns a function that adds to them. */
function measureEngines(registry: Registry): (event: EngineEvent) => void {
  const registers = [registry];
  const sql = new Histogram({
    name: "rowhouse_sql_duration_seconds",
    help: "Reading statements, with their wait for a connection",
    labelNames: ["database"],
    buckets: SQL_SECONDS,
    registers,
  });
  const commits = new Histogram({
    name: "rowhouse_commit_duration_seconds",
    help: "From the start of a transaction until its commit is on disk",
    labelNames: ["database"],
    buckets: SQL_SECONDS,
    registers,
  });
  const sizes = new Histogram({
    name: "rowhouse_commit_writes",
    help: "Writes that shared a commit",
    labelNames: ["database"],
    buckets: COMMIT_SIZES,
    registers,
  });
  registry.registerMetric(
    new Counter({
      name: "rowhouse_sql_processes_total",
      help: "Processes for untrusted SQL that were started and that have ended",
      labelNames: ["state"],
      registers: [],
      collect() {
        this.reset();
        for (const state of ["started", "ended"] as const) this.inc({ state }, sqlProcesses[state]);
      },
    }),
  );
  return (event) => {
    const { database, seconds } = event;
    if (event.kind === "sql") return sql.observe({ database }, seconds);
    commits.observe({ database }, seconds);
    sizes.observe({ database }, event.writes);
  };
}

const LOADS: Readonly<Record<keyof DatabaseLoad, readonly [name: string, help: string]>> = {
  runningReads: ["rowhouse_sql_running_reads", "Reads that run in a thread or session"],
  waitingReads: ["rowhouse_sql_waiting_reads", "Reads that wait for a thread or session"],
  openStreams: ["rowhouse_sql_open_streams", "Results that are being sent row by row"],
  waitingWrites: ["rowhouse_sql_waiting_writes", "Writes that are not in a transaction yet"],
};

const CACHES = {
  entries: "rowhouse_cache_entries",
  bytes: "rowhouse_cache_bytes",
  maxBytes: "rowhouse_cache_max_bytes",
} as const;

/** Adds the load of databases. Those of a kernel that was replaced can still send replies. */
function addLoads(kernels: ReadonlySet<Rowhouse>, registry: Registry): void {
  for (const key of Object.keys(LOADS) as (keyof DatabaseLoad)[]) {
    const [name, help] = LOADS[key];
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: ["database"],
        registers: [],
        collect() {
          this.reset();
          for (const database of [...kernels].flatMap(({ databases }) => [...databases.values()])) {
            const load = database.load?.();
            if (load !== undefined) this.inc({ database: database.name }, load[key]);
          }
        },
      }),
    );
  }
}

function addGauges(rowhouse: Rowhouse, registry: Registry): void {
  for (const key of ["entries", "bytes"] as const) {
    registry.registerMetric(
      new Gauge({
        name: `rowhouse_reply_cache_${key}`,
        help: `The ${key} in the cache of replies`,
        registers: [],
        collect() {
          this.set(rowhouse.serviceIfAny("replyCache")?.size()[key] ?? 0);
        },
      }),
    );
  }
  for (const key of ["entries", "bytes", "maxBytes"] as const) {
    registry.registerMetric(
      new Gauge({
        name: CACHES[key],
        help: `Caches of this process: ${key === "maxBytes" ? "the limit of their bytes" : key}`,
        labelNames: ["cache"],
        registers: [],
        collect() {
          for (const use of cacheUse()) this.set({ cache: use.name }, use[key]);
        },
      }),
    );
  }
  // The sum of several workers is their number.
  const workers = new Gauge({
    name: "rowhouse_workers",
    help: "Processes that serve",
    registers: [registry],
  });
  workers.set(1);
  const info = new Gauge({
    name: "rowhouse_info",
    help: "The version",
    labelNames: ["version"],
    aggregator: "first",
    registers: [registry],
  });
  info.set({ version: rowhouse.version }, 1);
}
