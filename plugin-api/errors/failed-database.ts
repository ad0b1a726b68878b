import { isOutOfService } from "./classes.js";

const names = new WeakMap<object, string>();

/**
 * Remembers for the log which database an error of status 503 is about. The request may name another one: a write to
 * `library` fails if the internal database is locked. The first name stays, because a write can run inside another.
 *
 * @example
 * failedIn("library", error) === error; // true
 * @returns the error
 */
export function failedIn(database: string, error: unknown): unknown {
  if (isOutOfService(error) && !names.has(error)) names.set(error, database);
  return error;
}

/**
 * The database that an error is about; null if no engine has named one.
 *
 * @example
 * failedDatabase(new Error("no room")); // null
 */
export const failedDatabase = (error: object): string | null => names.get(error) ?? null;
