import { setTimeout as sleep } from "node:timers/promises";
import {
  definePlugin,
  jsonText,
  permissionChain,
  reply,
  visibleItems,
  type Reply,
  type RouteFor,
  type Visit,
} from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { databaseProblems, type Problem } from "./database-problems.js";

type State = "starting" | "ready" | "draining";

const NOT_CACHED = { "cache-control": "no-store" };

/** `/-/health` and `/-/ready`, for load balancers and supervisors. Neither requires a permission. */
export default definePlugin({
  name: "probes",
  deterministic: true,
  unguarded: true,
  settings: bundledSettings.probes,
  setup(rowhouse) {
    let state: State = "starting";
    const findProblems = databaseProblems(rowhouse);
    const ready = async (visit: Visit): Promise<Reply> => readyReply(visit, state, await findProblems());
    return {
      startup: { order: "last", run: () => void (state = "ready") },
      async drain() {
        state = "draining";
        await sleep(rowhouse.setting("drain_delay_ms"));
      },
      register_routes: () => [
        healthRoute,
        { name: "ready", path: "/-/ready", target: "instance", view: ready },
      ],
    };
  },
});

/** An answer shows that the event loop turns. Nothing is looked up, so that a slow database does not end the process. */
const healthRoute: RouteFor<"instance"> = {
  name: "health",
  path: "/-/health",
  target: "instance",
  view: () => reply.json(jsonText({ ok: true }), 200, NOT_CACHED),
};

async function readyReply(visit: Visit, state: State, problems: readonly Problem[]): Promise<Reply> {
  const current = state === "ready" && problems.length > 0 ? "unavailable" : state;
  const ok = current === "ready";
  const reasons = await visibleReasons(visit, problems);
  const document = { ok, state: current, ...(reasons.length > 0 && { reasons }) };
  return reply.json(jsonText(document), ok ? 200 : 503, NOT_CACHED);
}

/** Names of databases, and reasons that may contain paths, are only for signed-in actors that may view the database. */
async function visibleReasons(
  { rowhouse, actor }: Visit,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  if (actor === null) return [];
  return visibleItems(rowhouse.permissions, actor, problems, permissionChain);
}
