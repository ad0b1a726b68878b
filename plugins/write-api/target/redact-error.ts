import { SqlFailed, WriteRejected, permissionChain, visibleItems } from "rowhouse/plugin-api";
import type { Database } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { mayViewNamed } from "./table-target.js";

/** Where a write was to go. */
export interface Written {
  readonly database: Database;
  /** Tables that the request names. */
  readonly tables: readonly string[];
}

/**
 * A failed write in words that name no table, view, trigger or index which the actor may not view, and no column that
 * is hidden from them. About a table that the request names and that they may not view, only the kind of the failure
 * is told. Any other error comes back as it is.
 */
export async function redactError(
  visit: WriteVisit,
  { database, tables }: Written,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof SqlFailed || error instanceof WriteRejected)) return error;
  const messages = error instanceof SqlFailed ? [error.message] : error.errors;
  const secrets = await hiddenNames(visit, { database, tables }, messages);
  const columns = messages.some(isOfConstraint) ? await hiddenColumns(visit, database) : [];
  const knowsTables = (await viewable(visit, database, tables)).length === tables.length;
  if (knowsTables && secrets.length === 0 && columns.length === 0) return error;
  const told = messages.map((message) => {
    if (!knowsTables) return withoutDetails(message);
    if (isOfConstraint(message) && tells(message, [...secrets, ...columns])) return withoutDetails(message);
    return cutBefore(message, secrets);
  });
  return error instanceof SqlFailed
    ? new SqlFailed(told.join(), error.kind, { cause: error })
    : new WriteRejected(told, error.status, error.headers);
}

/** What the engine tells of a constraint; in other messages stand names that the caller brought. */
const TOLD = /(?<=constraint failed): .*$/s;
/** The declared type of a column, or that it is computed. */
const OF_COLUMN = /^cannot (?:store|INSERT|UPDATE) .*$/s;

const isOfConstraint = (message: string): boolean => TOLD.test(message) || OF_COLUMN.test(message);

const withoutDetails = (message: string): string =>
  message.replace(TOLD, "").replace(OF_COLUMN, "datatype mismatch");

const tells = (message: string, secrets: readonly string[]): boolean =>
  secrets.some((name) => placeOf(message, name) !== -1);

/** The message as far as the first of the names. */
function cutBefore(message: string, secrets: readonly string[]): string {
  const places = secrets.map((name) => placeOf(message, name)).filter((place) => place !== -1);
  if (places.length === 0) return message;
  return message.slice(0, Math.min(...places)).replace(/[\s:"'(]+$/, "") || "The write failed";
}

/** Where a message names a table: `UNIQUE constraint failed: docs.id` names `docs`. -1 where it does not. */
const placeOf = (message: string, name: string): number =>
  message.search(
    new RegExp(`(?<![\\w.])(?:main\\.)?${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?!\\w)`, "iu"),
  );

/**
 * Columns that plugins hide from the actor as errors name them, `docs.salary`; a failed check is told as it is written,
 * `salary > 0`.
 */
async function hiddenColumns(
  { rowhouse, actor }: WriteVisit,
  database: Database,
): Promise<readonly string[]> {
  const all = [...(await database.schema()).tables.values()];
  const readable = await rowhouse.service("tables").readableMany(actor, database, all);
  return readable.flatMap(({ table }, index) => {
    const shown = new Set(table.columns.map(({ name }) => name));
    const hidden = all[index]?.columns.filter(({ name }) => !shown.has(name)) ?? [];
    return hidden.flatMap(({ name }) => [name, `${table.name}.${name}`]);
  });
}

/** Names in the messages that belong to tables which the actor may not view and did not name. */
export async function hiddenNames(
  visit: WriteVisit,
  { database, tables }: Written,
  messages: readonly string[],
): Promise<readonly string[]> {
  const all = [...(await database.schema()).tables.values()].filter(({ name }) => !tables.includes(name));
  const named = all.flatMap(({ name, indexes, triggers }) => {
    const names = [name, ...[...indexes, ...triggers].map((one) => one.name)];
    const found = names.filter((one) => messages.some((message) => placeOf(message, one) !== -1));
    return found.length === 0 ? [] : [{ name, found }];
  });
  const shown = new Set(
    await viewable(
      visit,
      database,
      named.map(({ name }) => name),
    ),
  );
  return named.flatMap(({ name, found }) => (shown.has(name) ? [] : found));
}

/** Those of the tables that the actor may view. */
export const viewable = async (
  { rowhouse, actor }: WriteVisit,
  { name: database }: Database,
  tables: readonly string[],
): Promise<readonly string[]> =>
  visibleItems(rowhouse.permissions, actor, tables, (table) => permissionChain({ database, table }));

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
