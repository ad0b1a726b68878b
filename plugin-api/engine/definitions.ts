import type { AlterDefinitions, NewColumnType } from "./alter.js";
import type { Column, ForeignKey, Schema, Table } from "./schema.js";

/** The statements with which an engine creates and drops tables, columns and indexes. */
export interface Definitions {
  /** A name as CREATE statements show it. */
  declaredName(name: string): string;
  /** False for names that no column can have, such as those of system columns. */
  acceptsColumnName(name: string): boolean;
  /** A type as CREATE TABLE declares it. */
  readonly declaredTypes: Readonly<Record<NewColumnType, string>>;
  /**
   * How the definition of a table changes (`/-/alter`): by statements, or by a rebuild of the table from its changed
   * CREATE statement, which can also reorder columns.
   */
  readonly alter: AlterDefinitions | "rebuild";
  readonly defaults: DefaultValues;
  /** True if texts can contain the character U+0000. */
  readonly textHasNul: boolean;
  /** A type for integers and other numbers, which keeps both as they are. */
  readonly numberType: string;
  /** How numbers with a point are stored: as doubles, or with all of their digits if the type of a column has them. */
  readonly numbers: "doubles" | "decimals";
  /** True for a column of JSON documents, in which `true` is not 1. Default: there are none. */
  holdsDocuments?(column: Column): boolean;
  /** True if the statements of a schema, run again, make the same schema in another database of the engine. */
  readonly storedStatements?: true;
  /** True if foreign keys are enforced, so that the deletion of a row can delete or change others. Absent if they are not. */
  readonly enforcesForeignKeys?: true;
  /** A statement that adds a foreign key to a table with rows; null if only CREATE TABLE can have one. */
  addForeignKey(table: string, key: NewForeignKey): string | null;
  /** The end of that statement if rows of the table violate the key; it then holds for new rows. */
  readonly uncheckedKey: string;
  /**
   * A statement that records foreign keys of a new table without enforcing them, also to tables that do not exist. Null
   * if the engine enforces none, so that CREATE TABLE can have them.
   */
  recordForeignKeys(table: string, keys: readonly ForeignKey[]): string | null;
  /** Text that is compared and sorted without regard to case. */
  readonly caseInsensitive: CaseInsensitiveText;
  /** What follows the type of a single integer key, so that the engine assigns it: ` GENERATED ...`; empty if nothing follows. */
  readonly assignedKey: string;
  /** What follows PRIMARY KEY so that no key is assigned again after its row was deleted. Absent if none ever is. */
  readonly assignedOnce?: string;
  /** The column definition of a key for tables that declare none; null if rows have a rowid. */
  readonly ownKey: string | null;
  /** What follows the columns of a table that is only read by its key: ` WITHOUT ROWID`. */
  readonly keyedTable: string;
  /**
   * A statement to run after rows were inserted with values for these columns, so that the values that the engine
   * assigns later are greater; null for none. Absent if the engine never needs one.
   */
  afterInsert?(table: Table, columns: readonly string[]): string | null;
  /**
   * True if the type of a column is more than one of `declaredTypes`: a date, a truth value, a text of limited length.
   * Absent if types do not limit values.
   */
  isSpecialType?(column: Column): boolean;
  /**
   * A statement that lists what the login can't read of the database: the columns `table` and `hidden`, which is `table` or
   * `rows`. Absent if it reads everything.
   */
  readonly hiddenData?: string;
  /** The source of a table's rows without those of `inheritingTables`, as FROM takes it. */
  ownRows(table: Table): string;
  /** A statement that reads the last value that the engine has assigned, also of a deleted row; null if it remembers none. */
  lastAssigned(table: Table): string | null;
  /** A statement after which the engine assigns values greater than `last`; null if the engine can't do so. */
  assignAfter(table: Table, last: number | bigint): string | null;
  readonly search: SearchDefinitions;
}

/** The SQL of defaults. */
export interface DefaultValues {
  /** By their names in `default_expr`. */
  readonly expressions: Readonly<Record<DefaultExpression, string>>;
  /** Other texts of these expressions, in lower case. */
  readonly synonyms?: Readonly<Record<string, DefaultExpression>>;
  bytes(value: Uint8Array): string;
  /** A number for a column of numbers. Default: its shortest text. */
  real?(value: number): string;
}

/** The moment of an insert. */
export type DefaultExpression =
  | "current_timestamp"
  | "current_date"
  | "current_time"
  | "current_unixtime"
  | "current_unixtime_ms";

/** Columns with text that is compared and sorted without regard to case. */
export interface CaseInsensitiveText {
  /** The type of such a column as CREATE TABLE declares it. */
  readonly type: string;
  /** A statement to run before the type is used; null for none. */
  readonly prepare: string | null;
  /** True for such a column. @param declaration what CREATE TABLE has after its name */
  isDeclared(declaration: string): boolean;
}

/** A foreign key to be made. */
export type NewForeignKey = Omit<ForeignKey, "onDelete" | "onUpdate"> &
  Partial<Pick<ForeignKey, "onDelete" | "onUpdate">>;

/** Full-text indexes over tables. */
export interface SearchDefinitions {
  /** How texts can be split into words. The first one is the default. */
  readonly tokenizers: readonly string[];
  /** The tokenizers that find words as they are written, and all forms of English words. */
  readonly forms: { readonly plain: string; readonly english: string };
  /** The name of the full-text table; that of the table itself if the words are in a column of it. */
  tableName(table: string): string;
  /** Why a table can't be searched; null if it can. */
  refusal(table: Table, schema: Schema): string | null;
  /** The statements that make an index that is kept up to date. */
  create(table: Table, columns: readonly string[], tokenizer: string): readonly string[];
  /** A statement that fills a full-text table again from the table with its text. Absent if none is ever needed. */
  rebuild?(index: string): string;
  /** The statements that remove the index. */
  drop(table: Table): readonly string[];
}
