import { randomBytes } from "node:crypto";
import type { Request } from "rowhouse/plugin-api";

/** Ids that proxies make: UUIDs, numbers, base64. Others could contain text that is made to look like log lines. */
const ACCEPTED = /^[\w.:@+/=-]{1,128}$/;

/** Returns a function for the id of a request: that of its header `x-request-id`, otherwise a new one. */
export function requestIds(): (request: Request) => string {
  const prefix = randomBytes(6).toString("base64url");
  let count = 0;
  return ({ headers }) => {
    const given = headers["x-request-id"];
    if (given !== undefined && ACCEPTED.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** The ids of a trace and of the span that sent the request. */
export interface TraceParent {
  readonly trace_id: string;
  readonly span_id: string;
}

const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/;

/** The header `traceparent` of W3C Trace Context; null for a missing or invalid one. */
export function traceParentOf({ headers }: Request): TraceParent | null {
  const [, traceId, spanId] = TRACE_PARENT.exec(headers["traceparent"] ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? null : { trace_id: traceId, span_id: spanId };
}
