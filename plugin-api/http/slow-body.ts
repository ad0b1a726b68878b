import type { Request } from "./request.js";

/** Most bodies arrive at once. */
const SLOW_MS = 1_000;

const checks = new WeakMap<Request, () => Promise<void>>();

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
export const afterSlowBody = (request: Request, check: () => Promise<void>): void =>
  void checks.set(request, check);

/** The body, and the check that belongs to it. */
export async function checkedBody(request: Request, body: Promise<Buffer>): Promise<Buffer> {
  const beganMs = performance.now();
  const bytes = await body;
  if (performance.now() - beganMs > SLOW_MS) await checks.get(request)?.();
  return bytes;
}
