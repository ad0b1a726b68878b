import { Counter, Gauge, type Registry } from "prom-client";
import { isObject, messageOf, type Rowhouse } from "rowhouse/plugin-api";
import type { Metric, MetricValue } from "rowhouse/plugin-api/contracts";
import { PluginError } from "rowhouse/plugin-api/errors";

/** Adds the metrics of other plugins. One that fails is left out of the reply, and the log names its plugin. */
export function addPluginMetrics(rowhouse: Rowhouse, registry: Registry, metrics: readonly Metric[]): void {
  for (const metric of metrics) {
    try {
      registry.registerMetric(prometheusMetric(rowhouse, metric));
    } catch (error) {
      report(rowhouse, metric, error);
    }
  }
}

const KINDS = { counter: Counter, gauge: Gauge } as const;

/** @throws Error for a name, a type or labels that Prometheus does not have */
function prometheusMetric(rowhouse: Rowhouse, metric: Metric): Counter | Gauge {
  const { name, help, type, labels: labelNames = [] } = metric;
  if (!Object.hasOwn(KINDS, type)) throw new TypeError(`its type is ${type}; it should be counter or gauge`);
  let lastProblem: string | null = null;
  return new KINDS[type]({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    async collect(this: Counter | Gauge) {
      try {
        const values = valuesOf(await metric.read());
        // Another scrape may have set the values meanwhile.
        this.reset();
        for (const { labels, value } of values) this.inc(labels, value);
        lastProblem = null;
      } catch (error) {
        this.reset();
        // A metric without labels has the value 0 after a reset.
        this.remove({});
        // Not again for each scrape.
        if (messageOf(error) !== lastProblem) report(rowhouse, metric, error);
        lastProblem = messageOf(error);
      }
    },
  });
}

/** @throws TypeError for anything that is neither a number nor a list of values */
function valuesOf(read: number | readonly MetricValue[]): readonly MetricValue[] {
  if (typeof read === "number") return [{ labels: {}, value: read }];
  if (Array.isArray(read) && read.every(isMetricValue)) return read;
  throw new TypeError(
    "it read neither a number nor a list of values with labels, all of them texts, and value",
  );
}

/** Labels that are no texts, such as numbers of 64 bits, would fail on their way from a worker, with all other metrics. */
const isMetricValue = (one: unknown): boolean =>
  isObject(one) &&
  typeof one["value"] === "number" &&
  isObject(one["labels"]) &&
  Object.values(one["labels"]).every((label) => typeof label === "string");

function report(rowhouse: Rowhouse, metric: Metric, error: unknown): void {
  const plugin = rowhouse.pluginOf(metric) ?? "metrics";
  rowhouse.log.error(new PluginError(plugin, `the metric ${metric.name}`, error).message, error);
}
