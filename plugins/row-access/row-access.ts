import { TimeSlices } from "rowhouse/plugin-api/http";
import { foldName, NameMap } from "rowhouse/plugin-api/names";
import { meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import type { Rowhouse, Schema, Table } from "rowhouse/plugin-api";
import type { IncomingKey } from "rowhouse/plugin-api/engine";
import type { ReadableTable, RowAccess } from "rowhouse/plugin-api/contracts";
import { hasReadScopes, isBaseTable, viewable, type Reader } from "./restrictions.js";
import { readable, readableTables } from "./readable.js";

/** The service `rowAccess` of a server. */
export const rowAccess = (rowhouse: Rowhouse): RowAccess => ({
  readable: (actor, database, table) => readable({ rowhouse, actor, database }, table),
  readableMany: (actor, database, tables) => readableTables({ rowhouse, actor, database }, tables),
  describable: (actor, database, tables) => describableTables({ rowhouse, actor, database }, tables),
  async describe(actor, database, source) {
    if (database.lastSchema !== null && relatedTo(database.lastSchema, source.table).length === 0)
      return source;
    const [only] = await redacted({ rowhouse, actor, database }, [source]);
    return only ?? source;
  },
  viewable: (actor, database, tables) => viewable({ rowhouse, actor, database }, tables),
});

/**
 * Table definitions as an actor may see them: without hidden columns, without keys, triggers and SQL that name a table
 * which the actor may not view, without triggers and views that name a table with hidden columns, and without keys
 * from or to a hidden column.
 */
const describableTables = async (
  reader: Reader,
  tables: readonly Table[],
): Promise<readonly ReadableTable[]> => redacted(reader, await readableTables(reader, tables));

/** The same for tables that are restricted already. */
async function redacted(
  reader: Reader,
  sources: readonly ReadableTable[],
): Promise<readonly ReadableTable[]> {
  const whole = sources.map(({ table }) => table);
  const tables = await redactTables(reader, whole);
  return sources.map((one, index) => {
    const table = tables[index] ?? one.table;
    return table === one.table ? one : { ...one, table };
  });
}

/** Removes mentions of tables that the actor may not view. Hidden columns have been removed before. */
async function redactTables(reader: Reader, tables: readonly Table[]): Promise<readonly Table[]> {
  const { database } = reader;
  const schema = database.lastSchema ?? (await database.schema());
  const slices = new TimeSlices();
  const related: (readonly string[])[] = [];
  for (const table of tables) {
    related.push(relatedTo(schema, table));
    if (slices.isOver) await slices.next();
  }
  const named = related.filter(({ length }) => length > 0).flat();
  if (named.length === 0) return tables;
  const allowed = await viewable(reader, named);
  const hidden = await hiddenColumns(reader, tablesIn(schema, named));
  return tables.map((table, index) =>
    related[index]?.every((name) => allowed.has(name) && !hidden.has(name)) === true
      ? table
      : redactTable(table, schema, { allowed, hidden }),
  );
}

const tablesIn = (schema: Schema, names: readonly string[]): readonly Table[] =>
  [...new Set(names)].flatMap((name) => schema.tables.get(name) ?? []).filter(isBaseTable);

/** The hidden columns of tables, by the name of the table. Tables without hidden columns are left out. */
async function hiddenColumns(
  reader: Reader,
  tables: readonly Table[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (!hasReadScopes(reader.rowhouse) || tables.length === 0) return new Map();
  const readable = await readableTables(reader, tables);
  const hidden = tables.map((whole, index) => {
    const shown = new Set(readable[index]?.table.columns.map(({ name }) => name));
    return whole.columns.flatMap(({ name }) => (shown.has(name) ? [] : [foldName(name)]));
  });
  return new Map(
    tables.flatMap(({ name }, index) =>
      hidden[index]?.length === 0 ? [] : [[name, new Set(hidden[index])] as const],
    ),
  );
}

interface Mentionable {
  /** Tables that the actor may view. */
  readonly allowed: ReadonlySet<string>;
  /** Hidden columns by table. SQL that names such a table can contain their names. */
  readonly hidden: ReadonlyMap<string, ReadonlySet<string>>;
}

function redactTable(table: Table, schema: Schema, { allowed, hidden }: Mentionable): Table {
  const mayName = (name: string): boolean =>
    name === table.name || allowed.has(name) || !schema.tables.has(name);
  const mayShow = (sql: string): boolean => mentionedTables(schema, sql).every(mayName);
  // Foreign keys name columns as they were written.
  const mayShowKey = ({ otherTable, otherColumns }: IncomingKey): boolean =>
    mayName(otherTable) && !otherColumns.some((name) => hidden.get(otherTable)?.has(foldName(name)));
  const namesHidden = (sql: string): boolean =>
    mentionedTables(schema, sql).some((name) => name !== table.name && hidden.has(name));
  const foreignKeys = table.foreignKeys.filter(mayShowKey);
  const isOpen = ({ kind, sql }: Table): boolean =>
    sql !== null &&
    mayShow(sql) &&
    foreignKeys.length === table.foreignKeys.length &&
    !(kind === "view" && namesHidden(sql));
  const { fullText } = table;
  return {
    ...table,
    sql: isOpen(table) ? table.sql : null,
    foreignKeys,
    incoming: table.incoming.filter(mayShowKey),
    triggers: table.triggers.filter(({ sql }) => mayShow(sql) && !namesHidden(sql)),
    fullText: fullText !== null && mayName(fullText.table) ? fullText : null,
  };
}

const relatedBySchema = new WeakMap<Schema, Map<string, readonly string[]>>();

/** Tables that the definition of this one names; computed once per schema. */
function relatedTo(schema: Schema, table: Table): readonly string[] {
  const own = relatedBySchema.get(schema) ?? new Map<string, readonly string[]>();
  relatedBySchema.set(schema, own);
  const before = own.get(table.name);
  if (before !== undefined) return before;
  const whole = schema.tables.get(table.name) ?? table;
  const names = new Set([
    ...[...whole.foreignKeys, ...whole.incoming].map(({ otherTable }) => otherTable),
    ...[whole.sql ?? "", ...whole.triggers.map(({ sql }) => sql)].flatMap((sql) =>
      mentionedTables(schema, sql),
    ),
    ...(whole.fullText === null ? [] : [whole.fullText.table]),
  ]);
  names.delete(table.name);
  const related = [...names].filter((name) => schema.tables.has(name));
  own.set(table.name, related);
  return related;
}

/** Tables and views whose names occur in a piece of SQL, in any role. */
function mentionedTables(schema: Schema, sql: string): readonly string[] {
  const names = namesOf(schema);
  return meaningful(sqlTokens(sql)).flatMap(({ text }) => names.all(unquote(text)));
}

const namesBySchema = new WeakMap<Schema, NameMap<string>>();

function namesOf(schema: Schema): NameMap<string> {
  const before = namesBySchema.get(schema);
  if (before !== undefined) return before;
  const made = new NameMap([...schema.tables.keys()].map((name) => [name, name] as const));
  namesBySchema.set(schema, made);
  return made;
}
