import type { Request, Rowhouse } from "rowhouse/plugin-api";
import type { RequestLine, SentReply } from "rowhouse/plugin-api/kernel";

/** Facts that are known when the reply is made. */
export interface Answered {
  readonly actor: string | null;
  readonly route: string | null;
}

/** The log line of a request whose reply was sent. */
export function requestLine(
  rowhouse: Rowhouse,
  { request, reply, bytes, isComplete }: SentReply,
  { actor, route }: Answered,
): RequestLine {
  const sqlMs = rowhouse.serviceIfAny("timing")?.sqlOf(request)?.ms;
  const cache = rowhouse.serviceIfAny("replyCache")?.stateOf(request) ?? undefined;
  return {
    request_id: request.id,
    ...(request.headers["traceparent"] !== undefined && traceParentOf(request)),
    actor,
    method: request.method,
    path: request.path,
    route,
    status: reply.status,
    ms: rounded(performance.now() - request.receivedMs),
    bytes,
    ...(sqlMs !== undefined && { sql_ms: rounded(sqlMs) }),
    ...(cache !== undefined && { cache }),
    ...(!isComplete && { incomplete: true }),
  };
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

/** The ids of a trace and of the span that sent the request. */
interface TraceParent {
  readonly trace_id: string;
  readonly span_id: string;
}

const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/;

/** The header `traceparent` of W3C Trace Context; null for a missing or invalid one. */
function traceParentOf({ headers }: Request): TraceParent | null {
  const [, traceId, spanId] = TRACE_PARENT.exec(headers["traceparent"] ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? null : { trace_id: traceId, span_id: spanId };
}
