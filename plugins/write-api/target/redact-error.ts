import { permissionChain, visibleItems, WriteRejected, type Database, type Table } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { isPrivateTable } from "rowhouse/plugin-api/names";
import { meaningful, sqlTokens } from "rowhouse/plugin-api/sql";
import { mentionsName } from "../alter/sql-parts.js";
import { canView, type TableName, type WriteContext } from "./write-access.js";

/** The database and tables of a write. */
export interface WriteLocation {
  readonly database: Database;
  /** The tables that the request names. */
  readonly tables: readonly string[];
}

/**
 * Removes from the messages of a failed write the names of tables, views, triggers and indexes that the actor may not
 * view, and of columns that are hidden from the actor. If the request names a table that the actor may not view, only
 * the kind of a constraint that failed remains. Other errors are returned unchanged.
 */
export async function redactError(
  visit: WriteContext,
  location: WriteLocation,
  error: unknown,
): Promise<unknown> {
  if (!isRedactable(error)) return error;
  const { database, tables } = location;
  const knowsTables = (await viewableTables(visit, database, tables)).length === tables.length;
  return withoutSecrets(visit, { ...location, knowsTables }, error);
}

/**
 * The same for a canned query, whose SQL may write to a table that the actor may not view. The actor may read this SQL, so
 * its tables are no secret.
 */
export async function redactQueryError(
  visit: WriteContext,
  { database, sql }: { readonly database: Database; readonly sql: string },
  error: unknown,
): Promise<unknown> {
  if (!isRedactable(error)) return error;
  const tokens = meaningful(sqlTokens(sql));
  const all = [...(await database.schema()).tables.keys()];
  const tables = all.filter((name) => mentionsName(tokens, name));
  return withoutSecrets(visit, { database, tables, knowsTables: true }, error);
}

type Redactable = SqlFailed | WriteRejected;

const isRedactable = (error: unknown): error is Redactable =>
  error instanceof SqlFailed || error instanceof WriteRejected;

async function withoutSecrets(
  visit: WriteContext,
  { database, tables, knowsTables }: WriteLocation & { readonly knowsTables: boolean },
  error: Redactable,
): Promise<Redactable> {
  const messages = error instanceof SqlFailed ? [error.message] : error.errors;
  const secrets = [
    ...(await hiddenNames(visit, { database, tables }, messages)),
    ...(await columnsOfUnlistedTables(visit, database, messages)),
  ];
  const isAboutValue = error instanceof SqlFailed && error.kind === "value";
  const columns =
    isAboutValue || messages.some(isAboutConstraint) ? await hiddenColumns(visit, database) : [];
  if (knowsTables && secrets.length === 0 && columns.length === 0) return error;
  const redacted = messages.map((message) => {
    const bare = isAboutValue ? withoutType(error) : withoutDetails(message);
    if (bare !== message && (!knowsTables || mentions(message, [...secrets, ...columns]))) return bare;
    const isEcho = NAME_TAKEN.test(message) || (error instanceof WriteRejected && ECHO.test(message));
    return isEcho ? message : textBefore(message, secrets);
  });
  return error instanceof SqlFailed
    ? new SqlFailed(redacted.join(), error.kind, { cause: error })
    : new WriteRejected(redacted, error.status, error.headers);
}

/** The details of a constraint error. Other messages only repeat names that the request contains. */
const CONSTRAINT_DETAILS = /(?<=constraint failed): .*$/s;
/** Messages of SQLite that reveal the declared type of a column, or that it is generated. */
const COLUMN_DETAILS =
  /(?<=^(?:Operation \d+: )?(?:Row \d+(?: \(line \d+\))?: )?)cannot (?:store|insert|update) .*$/is;

/**
 * Messages of the write API that name only what the request names. They are never shortened: otherwise a client could
 * find out hidden names by sending them, for example as the name of a column.
 */
const ECHO =
  /^(?:Operation \d+: )?(?:no such (?:table|column|check|index): |table .* has no column named |duplicate column name: |The expression of a check |The column .* has |Record not found: )/s;

/** Messages about the new name of a table or index, which the request contains. */
const NAME_TAKEN =
  /^(?:Operation \d+: )?(?:there is already (?:a|an|another) (?:table|index)|(?:index|relation) .* already exists$)/s;

const isAboutConstraint = (message: string): boolean =>
  CONSTRAINT_DETAILS.test(message) || COLUMN_DETAILS.test(message);

const withoutDetails = (message: string): string =>
  message.replace(CONSTRAINT_DETAILS, "").replace(COLUMN_DETAILS, "datatype mismatch");

/** The message of an error about a value, without the text of the engine. Servers of databases translate it. */
export const withoutType = ({ kind, message }: SqlFailed): string =>
  kind === "value" ? message.replace(/^(Operation \d+: )?.*$/s, "$1datatype mismatch") : message;

const mentions = (message: string, secrets: readonly string[]): boolean =>
  secrets.some((name) => positionOf(message, name) !== -1 || isPartOfName(message, name));

/** PostgreSQL makes the name of a constraint from those of its columns: `docs_salary_check`. */
function isPartOfName(message: string, column: string): boolean {
  const [, constraint = ""] = /constraint failed: (?:index ')?([^\s.()<>=']+)'?$/.exec(message) ?? [];
  return `_${constraint}_`.includes(`_${column}_`);
}

/** The message up to the first of the names. */
function textBefore(message: string, secrets: readonly string[]): string {
  const places = secrets.map((name) => positionOf(message, name)).filter((place) => place !== -1);
  if (places.length === 0) return message;
  let end = Math.min(...places);
  while (/[\s:"'(]/.test(message.charAt(end - 1))) end -= 1;
  return message.slice(0, end) || "The write failed";
}

/** The index at which a message names a table, or -1: `UNIQUE constraint failed: docs.id` names `docs`. */
const positionOf = (message: string, name: string): number =>
  message.search(
    new RegExp(`(?<![\\w.])(?:main\\.)?${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?!\\w)`, "iu"),
  );

/**
 * The columns that plugins hide from the actor, as error messages name them: `docs.salary`, or `salary` in the text of
 * a failed check (`salary > 0`). Also the indexes that have such a column or an expression.
 */
async function hiddenColumns(
  { rowhouse, actor }: WriteContext,
  database: Database,
): Promise<readonly string[]> {
  const all = [...(await database.schema()).tables.values()];
  const readable = await rowhouse.service("rowAccess").readableMany(actor, database, all);
  return readable.flatMap(({ table }, index) => {
    const whole = all[index] ?? table;
    const columns = namesWithout(whole.columns, table.columns);
    return [
      ...namesWithout(whole.indexes, table.indexes),
      ...columns.flatMap((name) => [name, `${table.name}.${name}`]),
    ];
  });
}

type Named = readonly { readonly name: string }[];

function namesWithout(all: Named, shown: Named): readonly string[] {
  const known = new Set(shown.map(({ name }) => name));
  return all.map(({ name }) => name).filter((name) => !known.has(name));
}

/** The columns of a constraint that failed, with their table: `docs.id, docs.title`. */
const KEY_COLUMNS = /(?:UNIQUE|NOT NULL) constraint failed: (?!index ')(.*)$/s;

/**
 * Columns in the messages of tables that the schema does not have, such as partitions. Which table they belong to is not
 * known, so they are hidden from actors who cannot read all of the database.
 */
async function columnsOfUnlistedTables(
  visit: WriteContext,
  database: Database,
  messages: readonly string[],
): Promise<readonly string[]> {
  const named = messages.flatMap((message) => KEY_COLUMNS.exec(message)?.[1]?.split(", ") ?? []);
  if (named.length === 0) return [];
  const listed = [...(await database.schema()).tables.keys()];
  const unlisted = named.filter((column) => !listed.some((table) => column.startsWith(`${table}.`)));
  if (unlisted.length === 0) return [];
  const ruled = listed.filter((name) => !isPrivateTable(name));
  const viewable = await viewableTables(visit, database, ruled);
  const readsAll = viewable.length === ruled.length && (await hiddenColumns(visit, database)).length === 0;
  return readsAll ? [] : unlisted;
}

/** The expression or the name of a check that failed. */
const CHECK = /CHECK constraint failed: (.*)$/s;

/**
 * Names and checks in the messages that belong to tables which the actor may not view and the request does not name.
 * A trigger can write to such a table. A check that a table of the request has too is not one of them.
 */
export async function hiddenNames(
  visit: WriteContext,
  { database, tables }: WriteLocation,
  messages: readonly string[],
): Promise<readonly string[]> {
  const schema = await database.schema();
  const all = [...schema.tables.values()].filter(({ name }) => !tables.includes(name));
  const own = tables.flatMap((name) => schema.tables.get(name) ?? []);
  const checks = messages
    .flatMap((message) => CHECK.exec(message)?.[1] ?? [])
    .filter((check) => !own.some((table) => contains(table, check)));
  const named = all.flatMap((table) => {
    const { name, indexes, triggers } = table;
    const names = [name, ...[...indexes, ...triggers].map((one) => one.name)];
    const found = [
      ...names.filter((one) => messages.some((message) => positionOf(message, one) !== -1)),
      ...checks.filter((check) => contains(table, check)),
    ];
    return found.length === 0 ? [] : [{ name, found }];
  });
  const shown = new Set(
    await viewableTables(
      visit,
      database,
      named.map(({ name }) => name),
    ),
  );
  return named.flatMap(({ name, found }) => (shown.has(name) ? [] : found));
}

const contains = ({ sql }: Table, check: string): boolean =>
  sql !== null && onOneLine(sql).includes(onOneLine(check));

/** SQLite shows some line breaks of a check as spaces. */
const onOneLine = (text: string): string => text.replaceAll(/\s/g, " ");

/** Those of the tables that the actor may view. */
export const viewableTables = async (
  { rowhouse, actor }: WriteContext,
  { name: database }: Database,
  tables: readonly string[],
): Promise<readonly string[]> =>
  visibleItems(rowhouse.permissions, actor, tables, (table) => permissionChain({ database, table }));

/** Parts of messages that reveal the number and names of key columns, with their replacements. */
const KEY_DETAILS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(?<=is missing primary key column\(s\)): .*$/s, ""],
  [/^Need \d+ primary key values?$/, "Wrong number of primary key values"],
];

/**
 * The error of a write of rows. For an actor who may write to the table but not view it, messages say that a key is
 * incomplete without naming its columns.
 */
export async function redactKeyColumns(
  context: Pick<WriteContext, "rowhouse" | "actor">,
  table: TableName,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof WriteRejected) || error.status !== 400 || (await canView(context, table)))
    return error;
  const redacted = error.errors.map((message) =>
    KEY_DETAILS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message),
  );
  return new WriteRejected(redacted, error.status, error.headers);
}

/**
 * The error of a change of a table's definition. The reason reveals the definition, so actors who may alter the table
 * but not view it get a message without the reason.
 */
export async function redactReason(
  context: WriteContext,
  table: TableName,
  error: unknown,
): Promise<unknown> {
  if (!isRedactable(error) || error.status !== 400 || (await canView(context, table))) return error;
  return new WriteRejected(["The table cannot be changed like this (the reason needs view-table)"]);
}
