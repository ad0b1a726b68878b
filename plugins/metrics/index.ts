import type { Registry } from "prom-client";
import { definePlugin, StartupError, type Permission, type Reply, type RouteFor } from "rowhouse/plugin-api";
import { isRoot } from "rowhouse/plugin-api/access";
import { bundledHooks, bundledSettings, type WorkerGroup } from "rowhouse/plugin-api/contracts";
import { permissionTexts } from "rowhouse/plugin-api/html";
import { keepOverReloads } from "rowhouse/plugin-api/kernel";
import { replyEvents } from "./events.js";
import type { MetricsServer } from "./server.js";
import { ServerMetrics } from "./server-metrics.js";

const PERMISSION = "view-metrics";

const viewMetrics: Permission = {
  name: PERMISSION,
  abbr: "vme",
  description: "View metrics, which name all databases",
  takes_database: false,
  takes_resource: false,
  default: false,
};

/** Metrics in the format of Prometheus: at `/-/metrics` for actors with a permission, or on a port of their own. */
export default definePlugin({
  name: "metrics",
  deterministic: true,
  unguarded: true,
  optional: ["replyCache"],
  hooks: bundledHooks.metrics,
  settings: bundledSettings.metrics,
  register_permissions: () => viewMetrics,
  register_texts: () =>
    permissionTexts([viewMetrics], {
      de: { [PERMISSION]: "Messwerte ansehen, die alle Datenbanken nennen" },
    }),
  permission_allowed_many: {
    only: { actions: [PERMISSION] },
    run: (_rowhouse, { actor, resources }) => (isRoot(actor) ? resources.map(() => true) : null),
  },
  setup(rowhouse) {
    const port = rowhouse.setting("metrics_port");
    const kept = keepOverReloads(rowhouse, "metrics", () => new ServerMetrics());
    const workers = rowhouse.option("workers");
    let stopAnswering: (() => void) | null = null;
    let server: MetricsServer | null = null;
    let creating: Promise<Registry> | null = null;
    const registry = (): Promise<Registry> => (creating ??= kept.registryOf(rowhouse));
    const scrape = async (): Promise<Reply> => {
      const shown = await registry();
      return {
        status: 200,
        headers: { "content-type": shown.contentType, "cache-control": "no-store" },
        body: workers === undefined ? await shown.metrics() : await textOfAll(workers),
      };
    };
    const route: RouteFor<"instance"> = {
      name: "metrics",
      path: "/-/metrics",
      target: "instance",
      permissions: () => [[PERMISSION, null]],
      refusal: `Permission denied: need ${PERMISSION}`,
      view: scrape,
    };
    return {
      ...replyEvents(rowhouse, kept.counts),
      register_routes: () => (port === 0 ? route : null),
      // What other plugins register may need what their own `startup` makes.
      startup: {
        order: "last",
        async run() {
          kept.add(rowhouse);
          stopAnswering =
            workers?.answer(TOPIC, async () => valuesOfWorker(await registry(), workers.number)) ?? null;
          // Wrong metrics are logged now and not by the first scrape.
          if (port === 0) return void (await rowhouse.hooks.register_metrics.promise([], rowhouse, {}));
          await registry();
          const host = rowhouse.setting("metrics_host");
          server = await kept.ports.serve({ host, port }, scrape).catch((error: Error) => {
            throw new StartupError(`Metrics can't be served on ${host}:${port}: ${error.message}`, 1, {
              cause: error,
            });
          });
        },
      },
      async shutdown() {
        stopAnswering?.();
        kept.remove(rowhouse);
        await server?.close();
      },
    };
  },
});

const TOPIC = "metrics";

async function valuesOfWorker(registry: Registry, worker: number): Promise<unknown> {
  const { valuesOf } = await import("./measurements.js");
  return valuesOf(registry, worker);
}

async function textOfAll(workers: WorkerGroup): Promise<string> {
  const { combined } = await import("./measurements.js");
  return combined(await workers.gather(TOPIC));
}
