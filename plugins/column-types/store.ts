import type { Database, SqlValue } from "rowhouse/plugin-api";
import type { GivenColumnType } from "rowhouse/plugin-api/contracts";

const CREATE = `create table if not exists column_types (
  database_name text not null, table_name text not null, column_name text not null collate nocase,
  column_type text, config text, primary key (database_name, table_name, column_name))`;
const READ = "select database_name, table_name, column_name, column_type, config from column_types";
const SET = `insert into column_types values (:database, :table, :column, :type, :config)
  on conflict do update set column_type = excluded.column_type, config = excluded.config`;
const FORGET = "delete from column_types where database_name = :database and table_name = :table";
const RENAME = `update or replace column_types set table_name = :after
  where database_name = :database and table_name = :before`;

const ONE = "database_name = :database and table_name = :table and column_name = :column";
const MOVE = `update or replace column_types set column_name = :to where ${ONE}`;

/** Types by column (in lower case); null if the type was removed. */
export type StoredColumns = ReadonlyMap<string, GivenColumnType | null>;

/** All stored types in one state of the file. */
export interface StoredTypes {
  /** Equal for equal content. */
  readonly edition: string;
  of(database: string, table: string): StoredColumns | null;
}

/**
 * Types that were set while a server ran, in a table of the internal database. Several servers may share the file.
 */
export class ColumnTypeStore {
  readonly #database: Database;
  #seen: { readonly version: string; readonly types: StoredTypes } | null = null;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(database: Database): Promise<ColumnTypeStore> {
    await database.write((transaction) => transaction.run(CREATE));
    return new ColumnTypeStore(database);
  }

  /** The same object until a type is set. @param sinceMs as in `Database.version` */
  async current(sinceMs?: number): Promise<StoredTypes> {
    const { data } = await this.#database.version(sinceMs);
    if (this.#seen?.version === data) return this.#seen.types;
    const { rows } = await this.#database.read(READ);
    const edition = JSON.stringify(rows);
    const before = this.#seen?.types;
    const types = before?.edition === edition ? before : storedTypes(rows, edition);
    this.#seen = { version: data, types };
    return types;
  }

  async set(
    [database, table, column]: readonly [string, string, string],
    given: GivenColumnType | null,
  ): Promise<void> {
    const config = given === null || given.config === null ? null : JSON.stringify(given.config);
    const values = { database, table, column, type: given?.type ?? null, config };
    await this.#database.write((transaction) => transaction.run(SET, values));
  }

  async move([database, table, column]: readonly [string, string, string], to: string | null): Promise<void> {
    const values = { database, table, column };
    await this.#database.write((transaction) =>
      to === null
        ? transaction.run(`delete from column_types where ${ONE}`, values)
        : transaction.run(MOVE, { ...values, to }),
    );
  }

  async forget(database: string, table: string): Promise<void> {
    await this.#database.write((transaction) => transaction.run(FORGET, { database, table }));
  }

  async rename(database: string, before: string, after: string): Promise<void> {
    await this.#database.write((transaction) => transaction.run(RENAME, { database, before, after }));
  }
}

function storedTypes(rows: readonly (readonly SqlValue[])[], edition: string): StoredTypes {
  const tables = new Map<string, Map<string, GivenColumnType | null>>();
  for (const row of rows) {
    const [database = "", table = "", column = "", type = null, config = null] = row.map(textOf);
    const key = keyOf(database ?? "", table ?? "");
    const columns = tables.get(key) ?? new Map<string, GivenColumnType | null>();
    tables.set(key, columns);
    const given =
      type === null ? null : { type, config: config === null ? null : (JSON.parse(config) as unknown) };
    columns.set((column ?? "").toLowerCase(), given);
  }
  return { edition, of: (database, table) => tables.get(keyOf(database, table)) ?? null };
}

const textOf = (value: SqlValue): string | null => (value === null ? null : String(value));

const keyOf = (database: string, table: string): string => JSON.stringify([database, table]);
