import { type Awaitable, type Rowhouse, type Schema, type SqlInput, type Table } from "rowhouse/plugin-api";
import {
  meaningful,
  needsBarrier,
  renameParameters,
  sqlTokens,
  unrestrictedTable,
  unquote,
} from "rowhouse/plugin-api/sql";
import type { ReadableTable, ReadScope } from "rowhouse/plugin-api/contracts";
import type { Dialect } from "rowhouse/plugin-api/engine";
import {
  derivedScope,
  hasReadScopes,
  isBaseTable,
  readScopes,
  tablesOfView,
  viewable,
  type ReadableSources,
  type Reader,
} from "./restrictions.js";

type Params = Readonly<Record<string, SqlInput>>;

/**
 * The table restricted by all `read_scope` hooks, with a barrier around a view that needs one; the table itself if no
 * plugin restricts it.
 */
export function readable(reader: Reader, table: Table): Promise<ReadableTable> {
  const whole = unrestrictedTable(table, reader.database.dialect);
  if (areUnrestricted(reader.rowhouse, [table])) return Promise.resolve(whole);
  return readableTables(reader, [table]).then(([only = whole]) => withBarrier(reader, only));
}

/**
 * The tables restricted by all `read_scope` hooks, in their order, with one call of the hook.
 *
 * @param derived the tables whose restriction is being derived from these
 */
export function readableTables(
  reader: Reader,
  tables: readonly Table[],
  derived: readonly string[] = [],
): Promise<readonly ReadableTable[]> {
  // Lists of thousands need no further work.
  return areUnrestricted(reader.rowhouse, tables)
    ? Promise.resolve(tables.map((table) => unrestrictedTable(table, reader.database.dialect)))
    : restrictedTables(reader, tables, derived);
}

/** True if no plugin restricts any table, and none of these could show the rows of others. Most tables are unrestricted. */
const areUnrestricted = (rowhouse: Rowhouse, tables: readonly Table[]): boolean =>
  !hasReadScopes(rowhouse) && tables.every(isBaseTable);

async function restrictedTables(
  reader: Reader,
  tables: readonly Table[],
  derived: readonly string[],
): Promise<readonly ReadableTable[]> {
  const { dialect } = reader.database;
  const given = await readScopes(reader, tables);
  // A table that is derived from itself has no further restriction by that.
  const sourcesOfTable =
    (table: Table): ReadableSources =>
    (sources) => {
      const path = [...derived, table.name];
      const others = sources.filter(({ name }) => !path.includes(name));
      return readableTables(reader, others, path);
    };
  const asReadable = async (table: Table, own: readonly ReadScope[]): Promise<ReadableTable> => {
    const isComplete = own.some(({ complete }) => complete === true);
    const scope = isComplete ? null : await derivedScope(reader, table, sourcesOfTable(table));
    return restrict(dialect, table, scope === null ? own : [...own, scope]);
  };
  return Promise.all(
    tables.map((table) => {
      const own = given.all(table.name);
      return own.length === 0 && isBaseTable(table)
        ? unrestrictedTable(table, dialect)
        : asReadable(table, own);
    }),
  );
}

function restrict(dialect: Dialect, table: Table, scopes: readonly ReadScope[]): ReadableTable {
  if (scopes.every(({ where, hiddenColumns }) => where === undefined && !hiddenColumns?.length)) {
    return unrestrictedTable(table, dialect);
  }
  const hidden = new Set(scopes.flatMap(({ hiddenColumns = [] }) => hiddenColumns.map(lowerCase)));
  const shown = hidden.size === 0 ? table : withoutColumns(table, hidden);
  const conditions = scopes.flatMap(({ where, params }, index) =>
    where === undefined ? [] : [withUniqueParameters(table, where, params ?? {}, index)],
  );
  const name = dialect.quoteIdentifier(table.name);
  const where =
    conditions.length === 0 ? "" : ` where ${conditions.map((one) => `(${one.where})`).join(" and ")}`;
  const select = `select ${selectList(dialect, shown)} from ${name}${where}`;
  const flattenable = `(${select}) as ${name}`;
  return {
    table: shown,
    // If only columns are hidden, conditions may be evaluated on every row.
    sql: where === "" ? flattenable : dialect.barrier(select, table.name),
    flattenable,
    params: Object.assign({}, ...conditions.map(({ params }) => params)) as Params,
    restricted: true,
  };
}

const lowerCase = (name: string): string => name.toLowerCase();

/** Selects the rowid under its own name, because a subquery does not expose it otherwise. */
function selectList({ quoteIdentifier, tieBreaker }: Dialect, table: Table): string {
  const names = table.columns.map(({ name }) => quoteIdentifier(name));
  // Without a place of their own, rows are ordered by their columns.
  const hasPlaces = table.kind !== "view" && table.sharesPlaces !== true;
  const last = table.rowidName ?? (hasPlaces ? tieBreaker(table) : null);
  const rowid = last === null ? [] : [`${last} as ${quoteIdentifier(last)}`];
  const all = [...rowid, ...names];
  return all.length === 0 ? "null" : all.join(", ");
}

/** Removes hidden columns, and keys and indexes that use one. */
function withoutColumns(table: Table, hidden: ReadonlySet<string>): Table {
  const visible = (names: readonly (string | null)[]): boolean =>
    names.every((name) => name !== null && !hidden.has(name.toLowerCase()));
  const hasKey = visible(table.primaryKeys);
  return {
    ...table,
    sql: null,
    columns: table.columns.filter(({ name }) => visible([name])),
    primaryKeys: hasKey ? table.primaryKeys : [],
    rowidName: hasKey ? table.rowidName : null,
    foreignKeys: table.foreignKeys.filter((key) => visible(key.columns)),
    incoming: table.incoming.filter((key) => visible(key.columns)),
    indexes: table.indexes
      .filter(({ partial, columns }) => !partial && visible(columns))
      .map((index) => ({ ...index, sql: null })),
    triggers: [],
  };
}

/** Gives parameters names that contain the table name, so that they can't collide with arguments or other tables. */
function withUniqueParameters(table: Table, where: string, params: Params, index: number) {
  const prefix = `scope_${Buffer.from(table.name).toString("hex")}_${index}_`;
  const names = new Map(Object.keys(params).map((name) => [name, prefix + name]));
  return {
    where: renameParameters(where, names),
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]): [string, SqlInput] => [prefix + name, value]),
    ),
  };
}

/**
 * Puts a barrier around a view that reads a table which the actor may not read completely. The engine would otherwise
 * evaluate conditions on every row of the view's tables, also on rows that the view does not return.
 */
function withBarrier(reader: Reader, readable: ReadableTable): Awaitable<ReadableTable> {
  if (readable.table.kind !== "view" || needsBarrier(readable)) return readable;
  return viewWithBarrier(reader, readable);
}

async function viewWithBarrier(reader: Reader, readable: ReadableTable): Promise<ReadableTable> {
  const { database } = reader;
  // Caches are keyed by the table object of the schema; `readable.table` may be a copy without SQL.
  const view = (await database.schema()).tables.get(readable.table.name) ?? readable.table;
  const sources = await tablesOfView(database, view);
  if (await isReadable(reader, sources)) return readable;
  const { flattenable, table } = readable;
  return {
    ...readable,
    sql: database.dialect.barrier(`select * from ${flattenable}`, table.name),
    isPlainView: isPlain(view, sources, await database.schema()),
  };
}

/** Tokens that compute nothing that could fail. Parentheses are absent: they call a function or begin a subquery. */
const PLAIN_SYMBOLS: ReadonlySet<string> = new Set([".", ",", "*", "=", "<", ">", "!", ";"]);
const FAILING_WORDS: ReadonlySet<string> = new Set(["like", "glob", "match", "regexp"]);

/** True if a view only selects stored columns of tables, with conditions that only compare them. */
function isPlain({ sql }: Table, sources: readonly Table[], { tables }: Schema): boolean {
  if (sql === null || !sources.every(isStoredTable)) return false;
  const [, , , ...definition] = meaningful(sqlTokens(sql));
  const views = new Set(
    [...tables.values()].filter(({ kind }) => kind === "view").map(({ name }) => name.toLowerCase()),
  );
  return definition.every(({ kind, text }) => {
    if (kind === "number" || kind === "blob") return true;
    if (kind === "word") return !FAILING_WORDS.has(text.toLowerCase()) && !views.has(text.toLowerCase());
    if (kind !== "name" && kind !== "text") return PLAIN_SYMBOLS.has(text);
    return !views.has(unquote(text).toLowerCase());
  });
}

const isStoredTable = ({ kind, columns }: Table): boolean =>
  kind === "table" && columns.every(({ generated }) => generated !== "virtual");

async function isReadable(reader: Reader, tables: readonly Table[]): Promise<boolean> {
  const names = tables.map(({ name }) => name);
  const open = await viewable(reader, names);
  if (!names.every((name) => open.has(name))) return false;
  if (!hasReadScopes(reader.rowhouse)) return true;
  const readable = await readableTables(reader, tables);
  return readable.every(({ restricted }) => !restricted);
}
