import { QueryInterrupted } from "./classes.js";

/**
 * The result of a read; null if it exceeded its time limit.
 *
 * @example
 * const found = await unlessInterrupted(database.read("select count(*) from books", [], { timeLimitMs: 200 }));
 * @param signal of a request: a read that ended because the client disconnected is rejected. Without, it is null too
 */
export async function unlessInterrupted<Result>(
  reading: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof QueryInterrupted && signal?.aborted !== true) return null;
    throw error;
  }
}
