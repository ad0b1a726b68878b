/** Nobody waits for an answer any longer. */
export class TookTooLong extends Error {}

/** The answer, or the failure to give one within the limit. @param limitMs 0 is no limit */
export function inTime(answer: unknown, limitMs: number): unknown {
  if (!(answer instanceof Promise) || limitMs === 0) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`no answer within ${limitMs} ms`)), limitMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
