import { WriteRejected } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { mayViewNamed } from "./targets.js";

/** Which columns the key of a table has, and how many. */
const ABOUT_KEYS: readonly (readonly [told: RegExp, instead: string])[] = [
  [/(?<=is missing primary key column\(s\)): .*$/s, ""],
  [/^Need \d+ primary key values?$/, "Wrong number of primary key values"],
];

/**
 * Prepares a write of rows. An actor who may write to the table and not view it is told that a key is incomplete, and
 * not which columns it has.
 *
 * @throws WriteRejected and whatever else `work` throws
 */
export async function withoutKeys<T>(visit: WriteVisit, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteRejected) || error.status !== 400 || (await mayViewNamed(visit))) throw error;
    const told = error.errors.map((message) =>
      ABOUT_KEYS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), message),
    );
    throw new WriteRejected(told, error.status, error.headers);
  }
}
