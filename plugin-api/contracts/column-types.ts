import type { Collect, NoOpinion } from "../hooks.js";
import type { Html } from "../html.js";
import type { SqlValue } from "../values.js";

/** One cell that a column type is asked to show. */
export interface TypedCell {
  /** Never null: NULL looks the same in every column. */
  readonly value: NonNullable<SqlValue>;
  /** What was configured beside the name of the type; null where nothing was. */
  readonly config: unknown;
  readonly column: string;
  readonly table: string;
  readonly database: string;
  /** Characters to show of a text among other rows; 0 where all of it has room. */
  readonly truncate: number;
}

/**
 * What the values of a column mean. None of its functions is asked about NULL, none may answer with a promise, and
 * what they answer depends on what they are given alone: pages are kept until the data or a type changes. What is read
 * as JSON, CSV or any other format stays exactly as it is stored.
 */
export interface ColumnType {
  /** As the configuration calls it: `email`. A third party's type takes the place of a bundled one of its name. */
  readonly name: string;
  /** For people: what such a column holds. */
  readonly description: string;
  /** What is wrong with a configuration, as the end of a sentence (`must be a list`); nothing where it is right. */
  checkConfig?(config: unknown): string | NoOpinion;
  /** What pages show. Text is escaped, `Html` is taken as it is; nothing leaves the cell as if it had no type. */
  render?(cell: TypedCell): string | Html | NoOpinion;
  /** The value to be stored for one that comes in through the write API; nothing leaves it as it is. */
  transform?(value: NonNullable<SqlValue>, config: unknown): SqlValue | NoOpinion;
  /** What is wrong with a value that comes in, after `transform`: `not an e-mail address`; nothing where it is right. */
  validate?(value: NonNullable<SqlValue>, config: unknown): string | NoOpinion;
  /** The field of forms that suits such values. Default: one that suits the column as it is declared. */
  readonly input?: "email" | "url" | "textarea";
}

/** The type of one column as the metadata or a request gives it. */
export interface GivenColumnType {
  readonly type: string;
  /** Plain JSON; null where there is none. */
  readonly config: unknown;
}

/** A column of which something is known, and the type that knows it. */
export interface TypedColumn {
  readonly given: GivenColumnType;
  readonly is: ColumnType;
}

/** A row on its way in, and what is wrong with it. */
export interface AcceptedRow {
  /** Transformed where all is well. */
  readonly values: ReadonlyMap<string, SqlValue>;
  readonly mistakes: readonly { readonly column: string; readonly message: string }[];
}

/** The columns of one table that have types. Names are compared as SQL does, without regard to case. */
export interface TypedColumns {
  get(column: string): TypedColumn | null;
  /** What a page shows for a value; null where that is what it shows of any. A type that fails is logged. */
  render(column: string, value: SqlValue, truncate: number): string | Html | null;
  /** @throws PluginError where a type fails: what can't be checked does not come in */
  accept(row: ReadonlyMap<string, SqlValue>): AcceptedRow;
}

declare module "../hooks.js" {
  interface HookTable {
    /** At start: what columns may hold, for `column_types` of the metadata and `set-column-type`. */
    register_column_types: Collect<Readonly<Record<never, never>>, ColumnType>;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    columnTypes: {
      /** Every type by name. */
      readonly known: ReadonlyMap<string, ColumnType>;
      /** Types can be set while the server runs: there is a file to keep them in. */
      readonly keeps: boolean;
      /**
       * The types of a table's columns as they are now; null where it has none.
       *
       * @param sinceMs as `Database.version` takes it
       */
      of(database: string, table: string, sinceMs?: number): Promise<TypedColumns | null>;
      /** Moves whenever a type was set, here or by another server with the same file. */
      edition(sinceMs?: number): Promise<string>;
      /** What is wrong with a type that somebody wants to give a column: `unknown column type emial`; else null. */
      mistakeIn(given: GivenColumnType): string | null;
      /**
       * Gives a column a type, or takes it away, whatever the metadata says.
       *
       * @throws Error where nothing is kept
       */
      set(
        column: readonly [database: string, table: string, column: string],
        given: GivenColumnType | null,
      ): Promise<void>;
      /**
       * A column has got another name, or is gone (null): what was set goes along.
       *
       * @throws Error where nothing is kept
       */
      move(
        column: readonly [database: string, table: string, column: string],
        to: string | null,
      ): Promise<void>;
    };
  }
}
