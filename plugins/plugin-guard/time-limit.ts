import { isObject } from "rowhouse/plugin-api";

/** A function exceeded its time limit. */
export class TookTooLong extends Error {}

/** The result, or a promise that rejects with `TookTooLong` at the limit. @param limitMs 0 is no limit */
export function inTime(answer: unknown, limitMs: number): unknown {
  if (!(answer instanceof Promise) || limitMs === 0) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`no answer within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** A promise for an object with a method `then`, as libraries have promises and queries of their own; else the value. */
export const asPromise = (answer: unknown): unknown =>
  isObject(answer) && !(answer instanceof Promise) && typeof answer["then"] === "function"
    ? Promise.resolve(answer)
    : answer;

/** How long a function is not called again after it took too long. */
export const REST_MS = 60_000;

/** A function that fails at once for a minute after it took too long, so that no page waits for it twice. */
export function resting<Asked, Answer>(run: (asked: Asked) => Promise<Answer>): typeof run {
  let rest: { readonly untilMs: number; readonly error: TookTooLong } | null = null;
  return async (asked) => {
    if (rest !== null && performance.now() < rest.untilMs) throw rest.error;
    try {
      return await run(asked);
    } catch (error) {
      if (error instanceof TookTooLong) rest = { untilMs: performance.now() + REST_MS, error };
      throw error;
    }
  };
}
