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

/** Reads the catalogue. Call it in a transaction, so that all parts are from one snapshot. */
export async function readCatalogue(connection: Connection): Promise<Catalogue> {
  const rows = <Row extends object>(sql: string): Promise<readonly Row[]> =>
    connection.all<Row>({ sql, values: [] });
  const [version] = await rows<{ schema_version: number }>("pragma schema_version");
  return {
    version: version?.schema_version ?? 0,
    entries: await rows("select type, name, tbl_name, rootpage, sql from sqlite_schema order by rowid"),
    tables: await rows("select name, type, wr, strict from pragma_table_list where schema = 'main'"),
    columns: await readColumns(connection),
    keys: await rows(
      'select s.name as owner, k.id, k."table", k."from", k."to", k.on_update, k.on_delete ' +
        "from sqlite_schema s, pragma_foreign_key_list(s.name) k where s.type = 'table' order by s.rowid, k.id, k.seq",
    ),
    indexes: await rows(
      'select s.name as owner, i.name, i."unique", i.origin, i.partial ' +
        "from sqlite_schema s, pragma_index_list(s.name) i where s.type = 'table' order by s.rowid, i.seq",
    ),
    indexColumns: await rows(
      "select s.name as owner, c.name from sqlite_schema s, pragma_index_info(s.name) c " +
        "where s.type = 'index' order by s.rowid, c.seqno",
    ),
  };
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
