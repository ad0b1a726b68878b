import type { Definitions } from "./definitions.js";
import type { Column, Table } from "./schema.js";
import type { SqlInput } from "./values.js";

/**
 * The SQL on which engines differ. Plugins say what they mean, and the engine of the database writes it. The methods
 * quote the names that they are given; an `expression` and a `source` are SQL and used as they are.
 */
export interface Dialect {
  /** The words that the SQL editor completes. Default: those of SQLite. */
  readonly language?: "sqlite" | "postgres";
  /** A name as quoted identifier. Every name is safe, also with quotes in it. */
  quoteIdentifier(name: string): string;
  /** The name as published statements show it: without quotes if possible. */
  publishedIdentifier(name: string): string;
  /** A condition that is true for no row, as WHERE takes it: `0`, `false`. */
  readonly never: string;
  /** The statements that create and drop things. */
  readonly definitions: Definitions;
  /** A statement that reads the version of the engine, for an empty editor. */
  readonly versionStatement: string;
  /** A statement that lists the tables of an attached database. Only for engines with the capability `attach`. */
  tablesOfAttached(database: string): string;
  /** The parameters of a statement in order of appearance, with their prefix: `:id`, `?`. */
  parameters(sql: string): readonly string[];
  /** Why untrusted SQL is rejected before it runs; null if it is not. The message is published. */
  refusal(sql: string): string | null;
  /**
   * True if SQL, also a part of a statement, returns the same as long as the data is the same: it reads no time, no chance and
   * nothing of the session. False if this is not certain: such results are not cached. An engine without it caches stored
   * rows only.
   */
  isDeterministic?(sql: string): boolean;
  /** ` limit 10`, ` limit 10 offset 20` */
  limit(count: number, offset?: number): string;
  /**
   * A `select` as a source of rows: conditions on the source are evaluated only on the rows that the `select` finds,
   * and it keeps their order.
   */
  barrier(select: string, name: string): string;
  /** Replaces functions of Rowhouse, such as `escape_fts`, which the engine does not have. */
  expandFunctions(statement: NamedStatement): NamedStatement;
  /** A filter of a table page. Its parameters are `:p0`, `:p1`, ... in the order of `values`. */
  filter(column: ColumnOf, comparison: Comparison): FilterCondition;
  /** The condition that a column equals a key of a row path, which is text, bound as `:parameter`. */
  equalsKey(column: ColumnOf, key: string, parameter: string): string;
  /** A column as it is compared by `=` and IN with itself, with `comparedValue` and with `packedRows`. */
  comparedColumn(column: ColumnOf): string;
  /**
   * A value that was read from the column, or that a client sent to be stored in it.
   *
   * @param placeholder how the value is bound: `?`, `:name`. It occurs once.
   */
  comparedValue(column: ColumnOf, placeholder: string): string;
  /**
   * A text as a parameter that is compared with the column, or stored in it. A text that the engine cannot convert to a number
   * exactly is replaced by one that it can.
   */
  addressedValue(column: ColumnOf, text: string): string;
  /**
   * The expression by which a column is ordered. The condition of the next page compares it with the text of a value, so
   * both must agree, also for types that have no order of their own.
   */
  orderValue(column: ColumnOf): string;
  /** A term of ORDER BY: `orderValue`. NULL comes first, and last if descending. */
  orderTerm(column: ColumnOf, descending: boolean): string;
  /**
   * The term by which an index gives the values of a column in order, if it has NULL at another end than `orderTerm`; null
   * for other columns. With it, a page is read in two parts: the rows with NULL, and those with a value.
   */
  indexedOrderTerm?(column: ColumnOf, descending: boolean): string | null;
  /**
   * The condition that a row follows another in the order of its key columns, bound as `:p0`, `:p1`, ..., or with `<=` that
   * it does not.
   */
  keyComparison(table: Table, columns: readonly string[], operator: ">" | "<="): string;
  /** A last term of ORDER BY for tables without keys, so that pages by offset repeat no row; null if there is none. */
  tieBreaker(table: Table): string | null;
  /** The subquery with the column `value`: one column of `select ... <fromWhere>`. */
  valuesOf(rows: SelectedRows, column: string): string;
  /** An expression of a column in a form that can be grouped, sorted and compared. */
  comparable(expression: string, column: Column | undefined): string;
  /** The mean of the numbers among the values; `null` if the column has none. */
  mean(expression: string, column: Column | undefined): string;
  /** The numbers of a column, as `sum` takes them; NULL for columns that have none. */
  number(expression: string, column: Column | undefined): string;
  /** The bytes of a text. */
  bytesOf(expression: string): string;
  /** The day of a date, timestamp or text as `2026-01-31`; NULL for other values. */
  dayOf(expression: string, column: Column | undefined): string;
  /**
   * The step of a date, as text whose order is that of time: `2026`, `2026-Q1`, `2026-01`, the Monday of a week, the day,
   * `2026-01-31 13:00`. Numbers are seconds since 1970. NULL for values that are no dates.
   */
  dateStep(expression: string, step: DateStep, column: Column | undefined): string;
  /**
   * The lower bound of the interval of this width in which a number is: 20 for 25 and the width 10. Widths are greater
   * than 0. NULL for values that are no numbers. An engine without it offers no intervals.
   */
  interval?(expression: string, width: number, column: Column | undefined): string;
  /** The condition that the text of a value matches a LIKE pattern, bound as `:parameter`, in any case. `\` escapes. */
  resembles(expression: string, parameter: string): string;
  /** A quick condition that holds for all values with a day, and few others. */
  resemblesDay(expression: string, column: Column | undefined): string;
  /** The elements of arrays: a source with the columns `row` and `value`, each pair once. */
  arrayElements(source: string, column: Column | undefined): string;
  /** Statements that show whether the column `value` of a source holds arrays. */
  arrayTests(source: string, column: Column | undefined): ArrayTests;
  /** A raw text search for rows that contain, for each of these words, a word that begins with it. */
  searchForPrefixes(index: Table, words: readonly string[]): string;
  /**
   * A SELECT over rows that are bound as one JSON text: an array with an array per row. A value is encoded as JSON, a
   * BLOB as an array with its hex form, a TEXT that is not valid UTF-8 as an array in an array. The SELECT has one column
   * for each of `columns`.
   */
  packedRows(rows: PackedRows): string;
  /** An INSERT of the rows of a SELECT, or of one row of defaults. */
  insertRows(insert: RowsInsert): string;
  /** An INSERT of the rows of a SELECT that updates rows whose key exists. It is one statement, without triggers. */
  upsertRows(upsert: RowsUpsert): string;
  /** The value to store in a column, which is bound as `parameter`: `?`, `:name`. */
  storedValue(column: ColumnOf, parameter: string, value: SqlInput): string;
  /** The condition that a row matches a text search. */
  fullTextMatch(search: TextSearch): string;
}

/**
 * The condition that a column has a value, which is bound as `placeholder`.
 *
 * @example
 * equalsValue(database.dialect, { table, name: "id" }, "?"); // "id = ?"
 */
export const equalsValue = (dialect: Dialect, column: ColumnOf, placeholder: string): string =>
  `${dialect.comparedColumn(column)} = ${dialect.comparedValue(column, placeholder)}`;

/** A length of time by which dates can be grouped. */
export type DateStep = "year" | "quarter" | "month" | "week" | "day" | "hour";

/** A statement and its named values. */
export interface NamedStatement {
  readonly sql: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** A name that a request uses as a column of a table. The table may not have it. */
export interface ColumnOf {
  readonly table: Table;
  readonly name: string;
}

/** What a filter of a table page compares a column with. Texts are as the client sent them. */
export type Comparison =
  | { readonly kind: "compare"; readonly operator: CompareOperator; readonly value: string }
  | { readonly kind: "in"; readonly negated: boolean; readonly values: readonly SqlInput[] }
  | { readonly kind: "like"; readonly negated: boolean; readonly pattern: string }
  | { readonly kind: "glob"; readonly pattern: string }
  | { readonly kind: "contains-element"; readonly negated: boolean; readonly value: SqlInput }
  | { readonly kind: "on-day"; readonly day: string }
  | { readonly kind: "null"; readonly negated: boolean }
  | { readonly kind: "blank"; readonly negated: boolean };

/** The operators of comparisons. */
export type CompareOperator = "=" | "!=" | ">" | ">=" | "<" | "<=";

/** A condition whose values are bound as `:p0`, `:p1`, ... in the order of `values`. */
export interface FilterCondition {
  readonly where: string;
  /** Is executed in place of `where`: it matches the same rows with less work. */
  readonly executedWhere?: string;
  /** Is shown in place of `where` in `query` of JSON documents, whose text is that of the Datasette API. */
  readonly publishedWhere?: string;
  readonly values: readonly SqlInput[];
}

/** Rows of a table page, and their columns. */
export interface SelectedRows {
  readonly columns: readonly string[];
  /** `from docs where "id" = :p0` */
  readonly fromWhere: string;
}

/** Statements with one result column. */
export interface ArrayTests {
  /** Has a row if a value is not an array. */
  readonly others: string;
  /** The distinct types of the values: `array`. */
  readonly types: string;
  /** Arrays with elements, as JSON text. */
  readonly samples: string;
}

/** Rows that are bound as one JSON text. */
export interface PackedRows {
  /** The table of the columns. */
  readonly table: Table;
  readonly columns: readonly string[];
  /** A letter per column, as `cellKinds` returns them. */
  readonly kinds: string;
  /** How the JSON text is bound: `?`, `:name`. */
  readonly parameter: string;
}

/** What happens to an inserted row whose key exists. */
export type InsertConflict = "fail" | "ignore" | "replace";

/** An INSERT statement. */
export interface RowsInsert {
  readonly table: Table;
  readonly columns: readonly string[];
  /** The rows; null for one row of defaults. */
  readonly select: string | null;
  readonly conflict: InsertConflict;
  /** Columns of the stored rows to return; empty for none. */
  readonly returning: readonly string[];
}

/** An INSERT that updates rows whose key exists. */
export interface RowsUpsert {
  readonly table: Table;
  readonly columns: readonly string[];
  readonly select: string;
  readonly keys: readonly string[];
  /**
   * Rows with the same key, for an engine whose statement can store a row only once: the last one counts, or the
   * statement fails. Other engines store them in turn.
   */
  readonly repeatedKeys: "last" | "fail";
}

/** A text search on a table page. */
export interface TextSearch {
  /** The full-text table. */
  readonly index: Table;
  /** Null searches all columns. */
  readonly column: string | null;
  /** The column of the page's table that holds the row's key in the index. */
  readonly key: string;
  /** The name of the parameter with the text. */
  readonly parameter: string;
  /** True to keep the operators of the engine's search syntax. */
  readonly raw: boolean;
}
