import {
  definePlugin,
  StartupError,
  type Actor,
  type Permission,
  type Reply,
  type Request,
  type RouteFor,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { bundledSettings, type WorkerGroup } from "rowhouse/plugin-api/contracts";
import { permissionTexts } from "rowhouse/plugin-api/html";
import { keepOverReloads } from "rowhouse/plugin-api/kernel";
import type { Measurements } from "./measurements.js";
import { MetricsPorts, type MetricsServer } from "./server.js";

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
    const kept = keepOverReloads(rowhouse, "metrics", () => ({
      ports: new MetricsPorts(),
      isMeasuring: false,
    }));
    const workers = rowhouse.option("workers");
    let stopAnswering: (() => void) | null = null;
    let measurements: Promise<Measurements> | null = null;
    let server: MetricsServer | null = null;
    /** Measuring begins with the first request for metrics, so that it costs nothing where none is sent. */
    const measure = (): Promise<Measurements> => {
      kept.isMeasuring = true;
      return (measurements ??= import("./measurements.js").then(({ startMeasuring }) => {
        const started = startMeasuring(rowhouse);
        measureReplies(rowhouse, started);
        return started;
      }));
    };
    const scrape = async (): Promise<Reply> => {
      const { contentType, text } = await measure();
      return {
        status: 200,
        headers: { "content-type": contentType, "cache-control": "no-store" },
        body: workers === undefined ? await text() : await textOfAll(workers),
      };
    };
    const route: RouteFor<"instance"> = {
      name: "metrics",
      path: "/-/metrics",
      target: "instance",
      permissions: () => [[PERMISSION, null]],
      view: scrape,
    };
    return {
      register_routes: () => (port === 0 ? route : null),
      async startup() {
        stopAnswering = workers?.answer(TOPIC, async () => (await measure()).values()) ?? null;
        if (port !== 0 || kept.isMeasuring) await measure();
        if (port === 0) return;
        const host = rowhouse.setting("metrics_host");
        server = await kept.ports.serve({ host, port }, scrape).catch((error: Error) => {
          throw new StartupError(`Metrics can't be served on ${host}:${port}: ${error.message}`, 1, {
            cause: error,
          });
        });
      },
      async shutdown() {
        stopAnswering?.();
        await server?.close();
        (await measurements)?.stop();
      },
    };
  },
});

const TOPIC = "metrics";

async function textOfAll(workers: WorkerGroup): Promise<string> {
  const { combined } = await import("./measurements.js");
  return combined(await workers.gather(TOPIC));
}

/** Taps the hooks of replies from now on, so that they are not called where nothing is measured. */
function measureReplies({ hooks }: Rowhouse, measurements: Measurements): void {
  const visits = new WeakMap<Request, Visit>();
  hooks.finish_reply.tapPromise("metrics", async (value, _rowhouse, { request, visit }) => {
    if (visit !== null) visits.set(request, visit);
    return value;
  });
  hooks.reply_sent.tapPromise("metrics", async (_rowhouse, sent) => {
    const visit = visits.get(sent.request);
    measurements.addReply(sent, { route: visit?.route.name ?? "none", format: visit?.format ?? "none" });
  });
}

const isRoot = (actor: Actor | null): boolean => actor?.id === "root";
