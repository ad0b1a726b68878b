import type { Rowhouse } from "rowhouse/plugin-api";
import type { RequestLine, SentReply } from "rowhouse/plugin-api/kernel";
import { traceParentOf } from "./request-id.js";

/** Facts that are known when the reply is made. */
export interface Answered {
  readonly id: string;
  readonly actor: string | null;
  readonly route: string | null;
}

/** The log line of a request whose reply was sent. */
export function requestLine(
  rowhouse: Rowhouse,
  { request, reply, bytes, isComplete }: SentReply,
  { id, actor, route }: Answered,
): RequestLine {
  const sqlMs = rowhouse.serviceIfAny("timing")?.sqlOf(request)?.ms;
  const cache = rowhouse.serviceIfAny("replyCache")?.stateOf(request) ?? undefined;
  return {
    request_id: id,
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
