import { TimeSlices } from "rowhouse/plugin-api/http";
import type { Connection } from "../open/connection.js";

/** A row of `sqlite_schema`, with what pragmas list for it. */
export interface CatalogueEntry {
  readonly type: "table" | "view" | "index" | "trigger";
  readonly name: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string | null;
  /** Of a table or view. */
  readonly columns: readonly ListedColumn[];
  /** Foreign keys of a table, a row for each of their columns. */
  readonly keys: readonly ListedKey[];
  readonly indexes: readonly ListedIndex[];
}

export interface ListedTable {
  readonly name: string;
  readonly type: "table" | "view" | "virtual" | "shadow";
  /** 1 for WITHOUT ROWID. */
  readonly wr: number;
  /** 1 for STRICT. */
  readonly strict: number;
}

export interface ListedColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
  readonly hidden: number;
}

export interface ListedKey {
  readonly id: number;
  readonly table: string;
  readonly from: string;
  readonly to: string | null;
  readonly on_update: string;
  readonly on_delete: string;
}

export interface ListedIndex {
  readonly name: string;
  readonly unique: number;
  readonly origin: "c" | "u" | "pk";
  readonly partial: number;
  /** Null for expressions. */
  readonly columns: readonly (string | null)[];
}

/** The schema of a database as SQLite describes it, from one snapshot. */
export interface Catalogue {
  readonly version: number;
  readonly tables: readonly ListedTable[];
  /** In the order of `sqlite_schema`. */
  readonly entries: readonly CatalogueEntry[];
}

/** Reads the catalogue. Call it in a transaction, so that all parts are from one snapshot. */
export async function readCatalogue(connection: Connection): Promise<Catalogue> {
  try {
    return await parsed(await connection.all<Row>({ sql: catalogueSql(COLUMNS) }));
  } catch {
    // A broken view has no columns, and makes the statement for all of them fail.
    const catalogue = await parsed(await connection.all<Row>({ sql: catalogueSql("'[]'") }));
    const entries: CatalogueEntry[] = [];
    for (const entry of catalogue.entries)
      entries.push({ ...entry, columns: await columnsOfOne(connection, entry) });
    return { ...catalogue, entries };
  }
}

/** A part of the catalogue as JSON. */
interface Row {
  readonly part: string;
}

async function parsed([version, tables, ...lists]: readonly Row[]): Promise<Catalogue> {
  const slices = new TimeSlices();
  const entries: CatalogueEntry[] = [];
  for (const { part } of lists) {
    entries.push(...(JSON.parse(part) as readonly CatalogueEntry[]));
    if (slices.isOver) await slices.next();
  }
  return { version: Number(version?.part), tables: JSON.parse(tables?.part ?? "[]"), entries };
}

const columnsOf = (table: string): string =>
  "(select json_group_array(json_object('name', x.name, 'type', x.type, 'notnull', x.\"notnull\", " +
  "'dflt_value', x.dflt_value, 'pk', x.pk, 'hidden', x.hidden) order by x.cid) " +
  `from pragma_table_xinfo(${table}) x)`;

const COLUMNS = columnsOf("s.name");

const KEYS =
  "(select json_group_array(json_object('id', k.id, 'table', k.\"table\", 'from', k.\"from\", 'to', k.\"to\", " +
  "'on_update', k.on_update, 'on_delete', k.on_delete) order by k.id, k.seq) " +
  "from pragma_foreign_key_list(s.name) k)";

const INDEXES =
  "(select json_group_array(json_object('name', i.name, 'unique', i.\"unique\", 'origin', i.origin, " +
  "'partial', i.partial, 'columns', " +
  "json((select json_group_array(c.name order by c.seqno) from pragma_index_info(i.name) c))) order by i.seq) " +
  "from pragma_index_list(s.name) i)";

/**
 * Selects the version, the list of tables, and the entries, 100 in each row. The driver makes all rows at once on the
 * event loop, in microseconds for each: one row for each column of 5,000 tables would block it for 100 ms.
 *
 * @param columns an expression: the columns of a table or view `s` as JSON
 */
const catalogueSql = (columns: string): string =>
  "select schema_version as part from pragma_schema_version union all " +
  "select json_group_array(json_object('name', name, 'type', type, 'wr', wr, 'strict', strict)) " +
  "from pragma_table_list where schema = 'main' union all " +
  "select part from (select json_group_array(json_object(" +
  "'type', s.type, 'name', s.name, 'tbl_name', s.tbl_name, 'rootpage', s.rootpage, 'sql', s.sql, " +
  `'columns', json(case when s.type in ('table', 'view') then ${columns} else '[]' end), ` +
  `'keys', json(case when s.type = 'table' then ${KEYS} else '[]' end), ` +
  `'indexes', json(case when s.type = 'table' then ${INDEXES} else '[]' end)) order by s.rowid) as part ` +
  "from sqlite_schema s group by s.rowid / 100 order by min(s.rowid))";

async function columnsOfOne(
  connection: Connection,
  { type, name }: CatalogueEntry,
): Promise<readonly ListedColumn[]> {
  if (type !== "table" && type !== "view") return [];
  const bound = { sql: `select ${columnsOf("?1")} as part`, values: [name] };
  const [row] = await connection.all<Row>(bound).catch(() => []);
  return JSON.parse(row?.part ?? "[]") as readonly ListedColumn[];
}
