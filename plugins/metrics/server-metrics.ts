import type { Registry } from "prom-client";
import type { Rowhouse } from "rowhouse/plugin-api";
import { engineEvents, LateMeasurements } from "./events.js";
import { MetricsPorts } from "./server.js";

/** What a server measures, also over reloads of the configuration, during which two kernels answer. */
export class ServerMetrics {
  readonly ports = new MetricsPorts();
  readonly #kernels = new Set<Rowhouse>();
  readonly counts = new LateMeasurements(async () => (await import("./measurements.js")).startCounting());
  #stopListening: () => void = () => undefined;

  /** Measures the databases of a kernel from now on. */
  add(kernel: Rowhouse): void {
    if (this.#kernels.size === 0) this.#stopListening = engineEvents(this.#kernels, this.counts);
    this.#kernels.add(kernel);
  }

  remove(kernel: Rowhouse): void {
    if (this.#kernels.delete(kernel) && this.#kernels.size === 0) this.#stopListening();
  }

  /** All metrics, as a kernel shows them: with those of its plugins. */
  async registryOf(kernel: Rowhouse): Promise<Registry> {
    const { completeRegistry } = await import("./measurements.js");
    const metrics = await kernel.hooks.register_metrics.promise([], kernel, {});
    const { registry } = await this.counts.get();
    return completeRegistry(registry, { kernel, kernels: this.#kernels, metrics });
  }
}
