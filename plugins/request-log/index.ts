import { definePlugin, type Request } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import type { SentReply } from "rowhouse/plugin-api/kernel";
import { requestLine, type Answered } from "./line.js";
import { requestIds } from "./request-id.js";
import { logSlowStatements } from "./slow-statements.js";

/** One log line for each request, the header `x-request-id`, and statements that take long. */
export default definePlugin({
  name: "request-log",
  deterministic: true,
  unguarded: true,
  optional: ["replyCache", "timing"],
  settings: bundledSettings.requestLog,
  setup(rowhouse) {
    const idOf = requestIds();
    const answered = new WeakMap<Request, Answered>();
    const { log } = rowhouse;
    const slow = logSlowStatements(rowhouse);
    return {
      startup: slow.start,
      shutdown: slow.stop,
      finish_reply: {
        order: "last",
        run(_rowhouse, { value, request, actor, visit }) {
          const id = idOf(request);
          answered.set(request, { id, actor: textOf(actor?.id), route: visit?.route.name ?? null });
          return { ...value, headers: { ...value.headers, "x-request-id": id } };
        },
      },
      ...(log.request !== undefined && {
        reply_sent: (_rowhouse, sent) => {
          if (isProbe(sent)) return;
          const facts = answered.get(sent.request) ?? { id: idOf(sent.request), actor: null, route: null };
          log.request?.(requestLine(rowhouse, sent, facts));
        },
      }),
    };
  },
});

/** Supervisors send these every few seconds. Only those that fail are of interest. */
const isProbe = ({ request, reply }: SentReply): boolean => reply.status === 200 && PROBES.has(request.path);
const PROBES: ReadonlySet<string> = new Set(["/-/health", "/-/ready", "/-/metrics"]);

const textOf = (id: unknown): string | null => (id === undefined || id === null ? null : String(id));
