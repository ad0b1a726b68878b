import type { Request } from "./request.js";

/** Most bodies arrive at once. */
const SLOW_MS = 1_000;

/**
 * The check is a member of its request. In a `WeakMap`, V8 keeps what the checks of ended requests refer to until it has
 * collected all garbage, and inserts took twice the processor time.
 */
const CHECK = Symbol("check");

interface CheckedRequest extends Request {
  [CHECK]?: () => Promise<void>;
}

/**
 * Calls `check` when the whole body of the request has been read, if that took longer than a second. If it throws, so do
 * `body`, `json` and `form` of the request. A body can arrive slowly for half an hour: what was checked before may have
 * changed.
 *
 * @example
 * afterSlowBody(request, async () => {
 *   if (await isRevoked(request)) throw new Forbidden("Permission denied");
 * });
 */
export function afterSlowBody(request: CheckedRequest, check: () => Promise<void>): void {
  request[CHECK] = check;
}

/** The body, and the check that belongs to it. */
export async function checkedBody(request: CheckedRequest, body: Promise<Buffer>): Promise<Buffer> {
  const beganMs = performance.now();
  const bytes = await body;
  if (performance.now() - beganMs > SLOW_MS) await request[CHECK]?.();
  return bytes;
}
