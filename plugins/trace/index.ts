import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { definePlugin, html, jsonText, type Reply } from "rowhouse/plugin-api";
import { bundledSettings, type SqlTrace } from "rowhouse/plugin-api/contracts";

const CHANNEL = "rowhouse:sql";

/** The current request if it is traced. */
const tracedRequest = new AsyncLocalStorage<TracedRequest>();

const recordTrace = (trace: unknown): void => void tracedRequest.getStore()?.traces.push(trace as SqlTrace);

/** `?_trace=1` under the setting `trace_debug`: the statements behind a page, with their times. */
export default definePlugin({
  name: "trace",
  deterministic: true,
  unguarded: true,
  settings: bundledSettings.trace,

  setup(rowhouse) {
    if (!rowhouse.setting("trace_debug")) return {};
    return {
      startup: () => subscribe(CHANNEL, recordTrace),
      shutdown: () => void unsubscribe(CHANNEL, recordTrace),
      http_wrapper: () => (request, _response, next) => {
        if (!requestsTrace(request.originalUrl)) return next();
        tracedRequest.run({ startedMs: performance.now(), traces: [] }, next);
      },
      finish_reply: (_rowhouse, { value }) => {
        const traced = tracedRequest.getStore();
        return traced === undefined ? value : withTraces(value, traced);
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

export interface TracedRequest {
  readonly startedMs: number;
  readonly traces: SqlTrace[];
}

// Longer bodies are sent without traces.
const MAX_BODY_LENGTH = 256 * 1024;

/** Adds the traces to a reply that is a JSON object or an HTML page. */
export function withTraces(reply: Reply, traced: TracedRequest): Reply {
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

function report({ startedMs, traces }: TracedRequest) {
  const sql = traces.map(({ database, sql, params, startedMs: from, endedMs: to }) => ({
    type: "sql",
    start: from / 1000,
    end: to / 1000,
    duration_ms: to - from,
    // Code locations are not published.
    traceback: [],
    database,
    sql,
    params,
  }));
  return {
    request_duration_ms: performance.now() - startedMs,
    sum_trace_duration_ms: sql.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    num_traces: sql.length,
    traces: sql,
  };
}
