import { AsyncLocalStorage } from "node:async_hooks";
import { definePlugin, html, jsonText, type Actor, type Reply, type Rowhouse } from "rowhouse/plugin-api";
import { bundledSettings, sqlTraces, type Advice, type SqlTrace } from "rowhouse/plugin-api/contracts";

/** The current request if it is traced. */
const tracedRequest = new AsyncLocalStorage<TracedRequest>();

const recordTrace = (trace: SqlTrace): void => void tracedRequest.getStore()?.traces.push(trace);

/** `?_trace=1` under the setting `trace_debug`: the statements behind a page, with their times. */
export default definePlugin({
  name: "trace",
  deterministic: true,
  unguarded: true,
  optional: ["advice"],
  settings: bundledSettings.trace,

  setup(rowhouse) {
    if (!rowhouse.setting("trace_debug")) return {};
    return {
      startup: () => sqlTraces.subscribe(recordTrace),
      shutdown: () => sqlTraces.unsubscribe(recordTrace),
      http_wrapper: () => (request, _response, next) => {
        if (!requestsTrace(request.originalUrl)) return next();
        tracedRequest.run({ startedMs: performance.now(), traces: [] }, next);
      },
      async finish_reply(_rowhouse, { value, actor }) {
        const traced = tracedRequest.getStore();
        if (traced === undefined) return value;
        return withTraces(value, { ...traced, advice: await adviceOn(rowhouse, actor, traced.traces) });
      },
    };
  },
});

/** True if the query string contains exactly `_trace=1`. */
const requestsTrace = (url: string): boolean =>
  url
    .slice(url.indexOf("?") + 1)
    .split("&")
    .includes("_trace=1");

interface TracedRequest {
  readonly startedMs: number;
  readonly traces: SqlTrace[];
}

interface FinishedTrace extends TracedRequest {
  readonly advice: ReadonlyMap<SqlTrace, readonly Advice[]>;
}

/** Planning takes a millisecond or more for each statement, so only those that took longest are explained. */
const EXPLAINED_STATEMENTS = 10;

async function adviceOn(
  rowhouse: Rowhouse,
  actor: Actor | null,
  traces: readonly SqlTrace[],
): Promise<FinishedTrace["advice"]> {
  const service = rowhouse.serviceIfAny("advice");
  if (service === null) return new Map();
  const longest = traces
    .toSorted((left, right) => duration(right) - duration(left))
    .slice(0, EXPLAINED_STATEMENTS);
  const found = longest.map(async (trace) => {
    const { database, sql, params, trust = "untrusted" } = trace;
    return [trace, await service.ofStatement(actor, { database, sql, params, trust })] as const;
  });
  return new Map(await Promise.all(found));
}

const duration = ({ startedMs, endedMs }: SqlTrace): number => endedMs - startedMs;

// Longer bodies are sent without traces.
const MAX_BODY_LENGTH = 256 * 1024;

/** Adds the traces to a reply that is a JSON object or an HTML page. */
function withTraces(reply: Reply, traced: FinishedTrace): Reply {
  const { body, headers } = reply;
  if (typeof body !== "string" || body.length > MAX_BODY_LENGTH) return reply;
  const type = String(headers["content-type"] ?? "");
  if (type.startsWith("application/json") && body.startsWith("{") && body.endsWith("}")) {
    const separator = body === "{}" ? "" : ", ";
    return { ...reply, body: `${body.slice(0, -1)}${separator}"_trace": ${jsonText(report(traced))}}` };
  }
  const end = body.lastIndexOf("</body>");
  if (!type.startsWith("text/html") || end === -1) return reply;
  const shown = html`<pre>${JSON.stringify(report(traced), withoutBigints, 2)}</pre>`;
  return { ...reply, body: body.slice(0, end) + shown.markup + body.slice(end) };
}

const withoutBigints = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

function report({ startedMs, traces, advice }: FinishedTrace) {
  const sql = traces.map((trace) => {
    const { database, sql, params, startedMs: from, endedMs: to } = trace;
    const explained = advice.get(trace) ?? [];
    return {
      type: "sql",
      start: from / 1000,
      end: to / 1000,
      duration_ms: to - from,
      // Code locations are not published.
      traceback: [],
      database,
      sql,
      params,
      ...(explained.length > 0 && { advice: explained.map(({ reason, index }) => ({ reason, index })) }),
    };
  });
  return {
    request_duration_ms: performance.now() - startedMs,
    sum_trace_duration_ms: sql.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    num_traces: sql.length,
    traces: sql,
  };
}
