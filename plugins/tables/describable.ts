import { meaningful, sqlTokens } from "rowhouse/plugin-api";
import type { Actor, Database, ReadableTable, Rowhouse, Schema, Table } from "rowhouse/plugin-api";
import type { ReadRequest } from "./read-scopes.js";
import { readable, readableTables, withBarrier } from "./readable.js";
import { viewable } from "./read-scopes.js";

/**
 * Tables as an actor may know them: without the columns that are hidden from them, and without anything that
 * names a table which they may not view, be it a key, a trigger or the statement that made the table.
 */
export async function describableTables(
  rowhouse: Rowhouse,
  reading: ReadRequest,
): Promise<readonly ReadableTable[]> {
  const { actor, database } = reading;
  const readable = await readableTables(rowhouse, reading);
  const tables = await redactTables(
    rowhouse,
    actor,
    database,
    readable.map(({ table }) => table),
  );
  return readable.map((one, index) => {
    const table = tables[index] ?? one.table;
    return table === one.table ? one : { ...one, table };
  });
}

/** What a page of a table is made from: what the actor may read, naming nothing that they may not view. */
export async function readableOnPage(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  table: Table,
): Promise<ReadableTable> {
  const [only] = await describableTables(rowhouse, { actor, database, tables: [table] });
  const shown = only ?? (await readable(rowhouse, actor, database, table));
  return withBarrier(rowhouse, actor, database, shown);
}

/** The same for tables whose hidden columns have been taken away already. */
async function redactTables(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  tables: readonly Table[],
): Promise<readonly Table[]> {
  const schema = database.lastSchema ?? (await database.schema());
  const related = tables.map((table) => relatedTo(schema, table));
  const named = related.filter(({ length }) => length > 0).flat();
  if (named.length === 0) return tables;
  const allowed = await viewable(rowhouse, actor, database, named);
  return tables.map((table, index) =>
    related[index]?.every((name) => allowed.has(name)) === true ? table : redactTable(table, schema, allowed),
  );
}

function redactTable(table: Table, schema: Schema, allowed: ReadonlySet<string>): Table {
  const mayName = (name: string): boolean =>
    name === table.name || allowed.has(name) || !schema.tables.has(name);
  const mayShow = (sql: string): boolean => mentioned(schema, sql).every(mayName);
  const { fullText } = table;
  return {
    ...table,
    sql: table.sql !== null && mayShow(table.sql) ? table.sql : null,
    foreignKeys: table.foreignKeys.filter(({ otherTable }) => mayName(otherTable)),
    incoming: table.incoming.filter(({ otherTable }) => mayName(otherTable)),
    triggers: table.triggers.filter(({ sql }) => mayShow(sql)),
    fullText: fullText !== null && mayName(fullText.table) ? fullText : null,
  };
}

const known = new WeakMap<Schema, Map<string, readonly string[]>>();

/** Tables that anything about this one names; told once per schema. */
function relatedTo(schema: Schema, table: Table): readonly string[] {
  const own = known.get(schema) ?? new Map<string, readonly string[]>();
  known.set(schema, own);
  const before = own.get(table.name);
  if (before !== undefined) return before;
  const whole = schema.tables.get(table.name) ?? table;
  const names = new Set([
    ...[...whole.foreignKeys, ...whole.incoming].map(({ otherTable }) => otherTable),
    ...[whole.sql ?? "", ...whole.triggers.map(({ sql }) => sql)].flatMap((sql) => mentioned(schema, sql)),
    ...(whole.fullText === null ? [] : [whole.fullText.table]),
  ]);
  names.delete(table.name);
  const related = [...names].filter((name) => schema.tables.has(name));
  own.set(table.name, related);
  return related;
}

/** Tables and views whose names stand in a piece of SQL, whatever they mean there. */
function mentioned(schema: Schema, sql: string): readonly string[] {
  const byName = namesOf(schema);
  return meaningful(sqlTokens(sql)).flatMap(({ kind, text }) => {
    const said = kind === "word" ? text : unquoted(text);
    return byName.get(said.toLowerCase()) ?? [];
  });
}

const names = new WeakMap<Schema, ReadonlyMap<string, string>>();

function namesOf(schema: Schema): ReadonlyMap<string, string> {
  const before = names.get(schema);
  if (before !== undefined) return before;
  const made = new Map([...schema.tables.keys()].map((name) => [name.toLowerCase(), name]));
  names.set(schema, made);
  return made;
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  if (quote === "[") return text.slice(1, -1);
  return `"\`'`.includes(quote) ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
}
