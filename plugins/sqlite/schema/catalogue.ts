import type { Connection } from "../open/connection.js";

/** A row of `sqlite_schema`. */
export interface CatalogueEntry {
  readonly type: "table" | "view" | "index" | "trigger";
  readonly name: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string | null;
}

export interface ListedTable {
  readonly name: string;
  readonly type: "table" | "view" | "virtual" | "shadow";
  /** 1 for WITHOUT ROWID. */
  readonly wr: number;
  /** 1 for STRICT. */
  readonly strict: number;
}

/** Rows of the table-valued pragmas, each with its table or index. */
export interface ListedColumn {
  readonly owner: string;
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
  readonly hidden: number;
}

export interface ListedKey {
  readonly owner: string;
  readonly id: number;
  readonly table: string;
  readonly from: string;
  readonly to: string | null;
  readonly on_update: string;
  readonly on_delete: string;
}

export interface ListedIndex {
  readonly owner: string;
  readonly name: string;
  readonly unique: number;
  readonly origin: "c" | "u" | "pk";
  readonly partial: number;
}

export interface ListedIndexColumn {
  readonly owner: string;
  readonly name: string | null;
}

/** The schema of a database as SQLite describes it, from one snapshot. */
export interface Catalogue {
  readonly version: number;
  readonly entries: readonly CatalogueEntry[];
  readonly tables: readonly ListedTable[];
  readonly columns: readonly ListedColumn[];
  readonly keys: readonly ListedKey[];
  readonly indexes: readonly ListedIndex[];
  readonly indexColumns: readonly ListedIndexColumn[];
}

/**
 * Reads the catalogue. Call it in a transaction, so that all parts are from one snapshot.
 *
 * The parts are requested together, and SQLite reads one after the other: to wait for each would take a turn of the
 * event loop more, and all pages wait for the schema after it has changed.
 */
export async function readCatalogue(connection: Connection): Promise<Catalogue> {
  const rows = <Row extends object>(sql: string): Promise<readonly Row[]> =>
    connection.all<Row>({ sql, values: [] });
  const [versions, entries, tables, columns, keys, indexes, indexColumns] = await allOf([
    rows<{ schema_version: number }>("pragma schema_version"),
    rows<CatalogueEntry>("select type, name, tbl_name, rootpage, sql from sqlite_schema order by rowid"),
    rows<ListedTable>("select name, type, wr, strict from pragma_table_list where schema = 'main'"),
    readColumns(connection),
    rows<ListedKey>(
      'select s.name as owner, k.id, k."table", k."from", k."to", k.on_update, k.on_delete ' +
        "from sqlite_schema s, pragma_foreign_key_list(s.name) k where s.type = 'table' order by s.rowid, k.id, k.seq",
    ),
    rows<ListedIndex>(
      'select s.name as owner, i.name, i."unique", i.origin, i.partial ' +
        "from sqlite_schema s, pragma_index_list(s.name) i where s.type = 'table' order by s.rowid, i.seq",
    ),
    rows<ListedIndexColumn>(
      "select s.name as owner, c.name from sqlite_schema s, pragma_index_info(s.name) c " +
        "where s.type = 'index' order by s.rowid, c.seqno",
    ),
  ]);
  const version = versions[0]?.schema_version ?? 0;
  return { version, entries, tables, columns, keys, indexes, indexColumns };
}

/** Like `Promise.all`, but no read is running any more when it fails. */
async function allOf<const Reads extends readonly Promise<unknown>[]>(
  reads: Reads,
): Promise<{ -readonly [Index in keyof Reads]: Awaited<Reads[Index]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

const COLUMNS = 'x.name, x.type, x."notnull", x.dflt_value, x.pk, x.hidden';

/** The columns of all tables in one query. If that fails, because of a broken view, one query for each table. */
async function readColumns(connection: Connection): Promise<readonly ListedColumn[]> {
  const sources = "where s.type in ('table', 'view') order by s.rowid";
  try {
    const sql = `select s.name as owner, ${COLUMNS} from sqlite_schema s, pragma_table_xinfo(s.name) x ${sources}, x.cid`;
    return await connection.all({ sql, values: [] });
  } catch {
    const names = await connection.all<{ name: string }>({
      sql: `select s.name from sqlite_schema s ${sources}`,
      values: [],
    });
    const lists: (readonly ListedColumn[])[] = [];
    for (const { name } of names) lists.push(await columnsOfOne(connection, name));
    return lists.flat();
  }
}

const columnsOfOne = (connection: Connection, name: string): Promise<readonly ListedColumn[]> =>
  connection
    .all<ListedColumn>({
      sql: `select ?1 as owner, ${COLUMNS} from pragma_table_xinfo(?1) x order by x.cid`,
      values: [name],
    })
    .catch(() => []);
