import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { objectWith, type Awaitable } from "../kernel/hook-results.js";
import type { Nothing } from "../kernel/hooks.js";

/** A value of a metric with labels. */
export interface MetricValue {
  /** A value for each of `labels` of the metric. Each combination takes memory in Prometheus, so use few. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of a plugin. */
export interface Metric {
  /** As Prometheus names metrics: `library_loans_total`. */
  readonly name: string;
  readonly help: string;
  /** The value of a `counter` only grows, until the server restarts. That of a `gauge` can fall. */
  readonly type: "counter" | "gauge";
  /** The names of its labels. Default: none. */
  readonly labels?: readonly string[];
  /** The current value, or the values of a metric with labels. Called for each scrape. With `--workers`, gauges are added, and counters get a label `worker`. */
  read(): Awaitable<number | readonly MetricValue[]>;
}

/** The hooks of the plugin metrics. */
export const metricHooks = defineHooks({
  /** At start, and before the first reply with metrics: metrics of the plugin. One that fails is left out, and the log names its plugin. */
  register_metrics: hook.collect<Nothing, Metric>({
    affects: "nothing",
    failing: "skip",
    expects: objectWith("a metric with name, help, type (counter or gauge) and the function read", {
      name: "string",
      help: "string",
      type: "string",
      read: "function",
    }),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof metricHooks> {}
}
