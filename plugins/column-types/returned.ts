import type { ColumnType } from "rowhouse/plugin-api/contracts";

/**
 * The result of a function of a column type. Its promise is dropped, with its rejection: an unhandled one would end the
 * process.
 *
 * @throws TypeError for a promise, since these functions are synchronous
 */
export function returned<T>(result: T, { name }: ColumnType, what: string): T {
  if (!(result instanceof Promise)) return result;
  result.catch(() => undefined);
  throw new TypeError(`${what} of the column type ${name} returned a promise instead of its result`);
}
