import { BadRequest } from "../errors/classes.js";

/**
 * The time limit of the statement of a request: `_timelimit`, which can only lower that of the setting. A blank one
 * counts as none.
 *
 * @param settingMs the setting `sql_time_limit_ms`
 * @throws BadRequest if it is not a whole number of milliseconds, or 0
 *
 * @example
 * timeLimitMs(new URLSearchParams("_timelimit=20"), 1000); // 20
 */
export function timeLimitMs(query: URLSearchParams, settingMs: number): number {
  const requested = query.get("_timelimit") ?? "";
  if (requested === "") return settingMs;
  if (!/^\s*[+-]?\d+\s*$/.test(requested)) throw new BadRequest("_timelimit must be an integer");
  const limitMs = Number(requested);
  if (limitMs < 1) throw new BadRequest("_timelimit must be at least 1 (milliseconds)");
  return Math.min(limitMs, settingMs);
}
