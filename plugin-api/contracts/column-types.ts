import { type NoOpinion, objectWith } from "../kernel/hook-results.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import type { Html } from "../html/markup.js";
import type { SqlValue } from "../engine/values.js";

/** A cell for the `render` function of a column type. */
export interface TypedCell {
  /** Never null: NULL is shown the same way in every column. */
  readonly value: NonNullable<SqlValue>;
  /** The configuration of the type for this column; null if there is none. */
  readonly config: unknown;
  readonly column: string;
  readonly table: string;
  readonly database: string;
  /** The number of characters to show of a text in a list of rows; 0 for all. */
  readonly truncate: number;
}

/**
 * A column type: how pages show the values of a column, and which values can be written. Its functions are synchronous,
 * are not called for NULL, and must depend only on their arguments, since pages are cached until the data or a type
 * changes. JSON, CSV and other formats contain the stored values.
 */
export interface ColumnType {
  /** The name in the configuration: `email`. A type of an installed plugin replaces a bundled one of the same name. */
  readonly name: string;
  /** A description for pages. */
  readonly description: string;
  /** What is wrong with a configuration, as end of a sentence (`must be a list`); nothing for a valid one. */
  checkConfig?(config: unknown): string | NoOpinion;
  /** The cell on pages. Text is escaped, `Html` is not. Without a result, the cell is shown as one without a type. */
  render?(cell: TypedCell): string | Html | NoOpinion;
  /** The value to store for a value of the write API. Without a result, the value is stored unchanged. */
  transform?(value: NonNullable<SqlValue>, config: unknown): SqlValue | NoOpinion;
  /** What is wrong with a value after `transform`: `not an e-mail address`; nothing for a valid one. */
  validate?(value: NonNullable<SqlValue>, config: unknown): string | NoOpinion;
  /** The field in forms. Default: by the declared type of the column. */
  readonly input?: "email" | "url" | "textarea";
}

/** The type of a column in the metadata or a request. */
export interface GivenColumnType {
  readonly type: string;
  /** JSON; null if there is none. */
  readonly config: unknown;
}

/** A column with a type. */
export interface TypedColumn {
  readonly given: GivenColumnType;
  readonly is: ColumnType;
}

/** A row to be written after transformation and validation. */
export interface AcceptedRow {
  /** The transformed values. */
  readonly values: ReadonlyMap<string, SqlValue>;
  readonly mistakes: readonly { readonly column: string; readonly message: string }[];
}

/** The columns of one table that have types. Names are compared without regard to case, as in SQL. */
export interface TypedColumns {
  get(column: string): TypedColumn | null;
  /** How pages show a value; null for the default. Failures of a type are logged. */
  render(column: string, value: SqlValue, truncate: number): string | Html | null;
  /** Transforms and validates a row. @throws PluginError if a type fails: unchecked values are not written */
  accept(row: ReadonlyMap<string, SqlValue>): AcceptedRow;
}

/** The hooks of the plugin that owns this contract. */
export const columnTypeHooks = defineHooks({
  /** At start: column types, for `column_types` of the metadata and `set-column-type`. */
  register_column_types: hook.collect<Nothing, ColumnType>({
    atStart: true,
    affects: "nothing",
    expects: objectWith(
      "a column type with name and description, and functions: checkConfig, render, transform and validate if any",
      { name: "string", description: "string" },
      { checkConfig: "function", render: "function", transform: "function", validate: "function" },
    ),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof columnTypeHooks> {}
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    columnTypes: {
      /** Every type by name. */
      readonly known: ReadonlyMap<string, ColumnType>;
      /** True if types can be set while the server runs, which needs `--internal`. */
      readonly keeps: boolean;
      /**
       * The current types of the columns of a table; null if none has a type.
       *
       * @param sinceMs as `Database.version` takes it
       */
      of(database: string, table: string, sinceMs?: number): Promise<TypedColumns | null>;
      /** A version that changes when a type is set, also by another server with the same file. */
      edition(sinceMs?: number): Promise<string>;
      /** What is wrong with a type: `unknown column type emial`; null for a valid one. */
      mistakeIn(given: GivenColumnType): string | null;
      /**
       * Sets or removes (null) the type of a column. It overrides the metadata.
       *
       * @throws Error without `--internal`
       */
      set(
        column: readonly [database: string, table: string, column: string],
        given: GivenColumnType | null,
      ): Promise<void>;
      /**
       * Moves the type to the new name of a renamed column, or deletes that of a dropped one (null).
       *
       * @throws Error without `--internal`
       */
      move(
        column: readonly [database: string, table: string, column: string],
        to: string | null,
      ): Promise<void>;
    };
  }
}
