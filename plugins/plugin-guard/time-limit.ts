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
