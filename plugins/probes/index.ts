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
import { describeError } from "rowhouse/plugin-api/errors";
import { databaseProblems, type Problem } from "./database-problems.js";

type State = "starting" | "ready" | "draining";

type Visitor = Pick<Visit, "rowhouse" | "actor">;

const HEALTH = "/-/health";
const READY = "/-/ready";

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
    const ready = async (visitor: Visitor): Promise<Reply> =>
      readyReply(visitor, state, await findProblems());
    return {
      startup: { order: "last", run: () => void (state = "ready") },
      async drain() {
        state = "draining";
        await sleep(rowhouse.setting("drain_delay_ms"));
      },
      // Such as that of a token, which can't be checked without the internal file: the client counts as anonymous.
      handle_exception: (_rowhouse, { value, request: { path }, error }) => {
        if (value !== null || describeError(error).status < 500) return null;
        return path === HEALTH ? healthReply() : path === READY ? ready({ rowhouse, actor: null }) : null;
      },
      register_routes: () => [healthRoute, { name: "ready", path: READY, target: "instance", view: ready }],
    };
  },
});

/** An answer shows that the event loop turns. Nothing is looked up, so that a slow database does not end the process. */
const healthReply = (): Reply => reply.json(jsonText({ ok: true }), 200, NOT_CACHED);

const healthRoute: RouteFor<"instance"> = {
  name: "health",
  path: HEALTH,
  target: "instance",
  view: healthReply,
};

async function readyReply(visitor: Visitor, state: State, problems: readonly Problem[]): Promise<Reply> {
  const current = state === "ready" && problems.length > 0 ? "unavailable" : state;
  const ok = current === "ready";
  const reasons = await visibleReasons(visitor, problems);
  const document = { ok, state: current, ...(reasons.length > 0 && { reasons }) };
  return reply.json(jsonText(document), ok ? 200 : 503, NOT_CACHED);
}

/** Names of databases, and reasons that may contain paths, are only for signed-in actors that may view the database. */
async function visibleReasons(
  { rowhouse, actor }: Visitor,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  if (actor === null) return [];
  return visibleItems(rowhouse.permissions, actor, problems, permissionChain);
}
