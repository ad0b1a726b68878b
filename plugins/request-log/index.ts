import { definePlugin, reply, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { jsonText } from "rowhouse/plugin-api/json";
import { bundledSettings, sqlTraces, type SqlTrace } from "rowhouse/plugin-api/contracts";
import type { SentReply } from "rowhouse/plugin-api/kernel";
import { requestLine, type Answered } from "./line.js";

/** One log line for each request, the header `x-request-id`, and statements that take long. */
export default definePlugin({
  name: "request-log",
  deterministic: true,
  unguarded: true,
  optional: ["replyCache", "timing"],
  settings: bundledSettings.requestLog,
  setup(rowhouse) {
    const answered = new WeakMap<Request, Answered>();
    const { log } = rowhouse;
    const slow = logSlowStatements(rowhouse);
    return {
      startup: slow.start,
      shutdown: slow.stop,
      finish_reply: {
        order: "last",
        run(_rowhouse, { value, request, actor, visit }) {
          // A reply that could not be sent is followed by the reply to that error.
          const facts = answered.get(request) ?? {
            actor: textOf(actor?.id),
            route: visit?.route.name ?? null,
          };
          answered.set(request, facts);
          return reply.withHeaders(value, { "x-request-id": request.id });
        },
      },
      ...(log.request !== undefined && {
        reply_sent: (_rowhouse, sent) => {
          if (isProbe(sent)) return;
          const facts = answered.get(sent.request) ?? { actor: null, route: null };
          log.request?.(requestLine(rowhouse, sent, facts));
        },
      }),
    };
  },
});

/** Supervisors send these every few seconds. Only those that fail are of interest. */
const isProbe = ({ request, reply }: SentReply): boolean => reply.status === 200 && PROBES.has(request.path);
const PROBES: ReadonlySet<string> = new Set(["/-/health", "/-/ready", "/-/metrics"]);

const textOf = (id: unknown): string | null =>
  id === undefined || id === null ? null : typeof id === "object" ? jsonText(id) : String(id);

/** Longer statements are cut: a log line should fit on a screen, and many collectors cut lines at 16 kB. */
const MAX_SQL_CHARACTERS = 2_000;

/** Warns about statements that take longer than `slow_sql_ms`, without the values of their parameters. */
function logSlowStatements(rowhouse: Rowhouse): { start(): void; stop(): void } {
  const limitMs = rowhouse.setting("slow_sql_ms");
  const look = ({ database, sql, startedMs, endedMs }: SqlTrace): void => {
    const ms = endedMs - startedMs;
    // Other servers in this process publish on the same channel.
    if (ms < limitMs || !rowhouse.databases.has(database)) return;
    const request = rowhouse.serviceIfAny("timing")?.currentRequest() ?? null;
    rowhouse.log.warn(`A statement on ${database} took ${Math.round(ms)} ms: ${shortened(sql)}`, {
      ...(request !== null && { request_id: request.id }),
      database,
      sql_ms: Math.round(ms),
    });
  };
  return {
    start: () => (limitMs > 0 ? sqlTraces.subscribe(look) : undefined),
    stop: () => sqlTraces.unsubscribe(look),
  };
}

const shortened = (sql: string): string =>
  sql.length > MAX_SQL_CHARACTERS ? `${sql.slice(0, MAX_SQL_CHARACTERS)} ...` : sql;
