import {
  quoteIdentifier,
  StartupError,
  type Column,
  type Database,
  type Schema,
  type Table,
  type Transaction,
} from "rowhouse/plugin-api";

type Row = readonly (string | number | null)[];
type CatalogueName = "databases" | "tables" | "columns" | "indexes" | "foreign_keys";

/** Rows of one described database, for each table of the catalogue. */
export type CatalogueRows = Readonly<Record<CatalogueName, readonly Row[]>>;

interface CatalogueTable {
  readonly name: CatalogueName;
  /** As SQLite stores it, which writes the first two words in capitals. */
  readonly create: string;
  /** Inserts all rows: `:rows` is a JSON array of arrays. */
  readonly insert: string;
}

const COLUMNS: Readonly<Record<CatalogueName, readonly string[]>> = {
  databases: ["database_name", "path", "is_memory", "schema_version"],
  tables: ["database_name", "table_name", "rootpage", "sql"],
  columns: [
    "database_name",
    "table_name",
    "cid",
    "name",
    "type",
    "notnull",
    "default_value",
    "is_pk",
    "hidden",
  ],
  indexes: ["database_name", "table_name", "seq", "name", "unique", "origin", "partial"],
  foreign_keys: [
    "database_name",
    "table_name",
    "id",
    "seq",
    "table",
    "from",
    "to",
    "on_update",
    "on_delete",
    "match",
  ],
};

const KEYS: Readonly<Record<CatalogueName, readonly string[]>> = {
  databases: ["database_name"],
  tables: ["database_name", "table_name"],
  columns: ["database_name", "table_name", "name"],
  indexes: ["database_name", "table_name", "name"],
  foreign_keys: ["database_name", "table_name", "id", "seq"],
};

/** The tables of the catalogue; their columns are published. */
export const CATALOGUE: readonly CatalogueTable[] = (Object.keys(COLUMNS) as CatalogueName[]).map((name) => {
  const columns = COLUMNS[name].map(quoteIdentifier).join(", ");
  const key = KEYS[name].map(quoteIdentifier).join(", ");
  const values = COLUMNS[name].map((_column, index) => `value ->> ${index}`).join(", ");
  return {
    name,
    create: `CREATE TABLE ${name} (${columns}, primary key (${key}))`,
    insert: `insert into ${name} (${columns}) select ${values} from json_each(:rows)`,
  };
});

/** The definitions of all versions begin like this. A table of the same name in a file of the user does not. */
const OF_CATALOGUE = /^create table \w+ \("database_name",/i;

/**
 * Creates the tables of the catalogue, in place of those of another version. Those of an earlier run keep their rows until
 * `refresh`: a server can then start on a full disk.
 *
 * @throws StartupError if the file has other tables with these names, which would be lost
 */
export async function createCatalogue(transaction: Transaction): Promise<void> {
  for (const { name, create } of CATALOGUE) {
    const sql = "select sql from sqlite_schema where name = ? collate nocase";
    const [[before] = []] = (await transaction.all(sql, [name])).rows;
    if (before === create) continue;
    if (before !== undefined && !OF_CATALOGUE.test(String(before)))
      throw new StartupError(`it has a table ${name} of your own. Choose another file for --internal`);
    await transaction.run(`drop table if exists ${name}`);
    await transaction.run(create);
  }
}

/** The catalogue rows of one database. */
export async function catalogueRows(database: Database, schema: Schema): Promise<CatalogueRows> {
  const { shownPath } = await database.describe();
  const tables = [...schema.tables.values()].filter(({ kind }) => kind !== "view");
  const ofTables = (rowsOf: (table: Table) => readonly Row[]): readonly Row[] =>
    tables.flatMap((table) => rowsOf(table).map((row) => [database.name, table.name, ...row]));
  return {
    databases: [[database.name, shownPath, Number(database.memory), schema.version]],
    tables: ofTables(({ rootPage, sql }) => [[rootPage ?? 0, sql]]),
    columns: ofTables(({ columns }) => columns.map(columnRow)),
    indexes: ofTables(({ indexes }) =>
      indexes.map(({ name, unique, origin, partial }, seq) => [
        seq,
        name,
        Number(unique),
        origin,
        Number(partial),
      ]),
    ),
    foreign_keys: ofTables(foreignKeyRows),
  };
}

/** `hidden` as `PRAGMA table_xinfo` numbers it. */
function columnRow(column: Column, cid: number): Row {
  const generated = { no: 0, virtual: 2, stored: 3 }[column.generated];
  const hidden = column.hidden ? 1 : generated;
  const { name, type, notNull, defaultSql, primaryKeyPosition } = column;
  return [cid, name, type, Number(notNull), defaultSql, primaryKeyPosition, hidden];
}

const foreignKeyRows = ({ foreignKeys }: Table): readonly Row[] =>
  foreignKeys.flatMap((key, id) =>
    key.columns.map((column, seq) => [
      id,
      seq,
      key.otherTable,
      column,
      key.otherColumns[seq] ?? null,
      key.onUpdate,
      key.onDelete,
      "NONE",
    ]),
  );
