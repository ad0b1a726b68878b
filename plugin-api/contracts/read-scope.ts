import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { sqlTokens } from "../sql/tokens.js";
import type { Database } from "../engine/database.js";
import type { Table } from "../engine/schema.js";
import type { Actor } from "../access/permissions.js";
import type { ReadableTable } from "./readable-table.js";
import { isObject, type SqlInput } from "../engine/values.js";

/** Restricts what an actor may read of one table. Several restrictions of a table are combined. */
export interface ReadScope {
  /** The name of the table. Results for tables that are not in `tables` are ignored. */
  readonly table: string;
  /** A condition on the columns of the table, with `:name` parameters. Rows for which it is not true are hidden. */
  readonly where?: string;
  readonly params?: Readonly<Record<string, SqlInput>>;
  /**
   * Hidden columns. Names of other columns are ignored. If a column of the primary key is hidden, rows have no row path,
   * like those of a view.
   */
  readonly hiddenColumns?: readonly string[];
  /**
   * Only for views: this restriction is sufficient. Without it, a view that reads a restricted table has no rows for the
   * actor.
   */
  readonly complete?: boolean;
}

/** Filtered rows of a table, for `select ... from <source><where>`. */
export interface FilteredRows {
  /** The table without hidden columns. */
  readonly table: Table;
  readonly source: string;
  /** ` where ...`, or an empty text. */
  readonly where: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** Restrictions of what actors may read. Views of tables and rows do not need it: their `target.source` is restricted. */
export interface RowAccess {
  /** A table with the restrictions for this actor. */
  readable(actor: Actor | null, database: Database, table: Table): Promise<ReadableTable>;
  /** Tables with the restrictions for this actor, in order. Read rows for an actor only from their `sql`. */
  readableMany(
    actor: Actor | null,
    database: Database,
    tables: readonly Table[],
  ): Promise<readonly ReadableTable[]>;
  /** The same, also without keys and definitions that name a table which the actor may not view. */
  describable(
    actor: Actor | null,
    database: Database,
    tables: readonly Table[],
  ): Promise<readonly ReadableTable[]>;
  /** A source, such as `target.source`, without keys and definitions that name a table which the actor may not view. */
  describe(actor: Actor | null, database: Database, source: ReadableTable): Promise<ReadableTable>;
  /** The names among `tables` that the actor may view. Names need not exist. */
  viewable(actor: Actor | null, database: Database, tables: readonly string[]): Promise<ReadonlySet<string>>;
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    rowAccess: RowAccess;
  }
}
const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const SCOPE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  table: (value) => typeof value === "string",
  where: (value) => typeof value === "string",
  params: (value) => typeof value === "object" && value !== null,
  hiddenColumns: isTextList,
  complete: (value) => typeof value === "boolean",
};

/** Rejects unknown keys: a misspelt key would hide nothing. */
const isReadScope = (answer: unknown): boolean =>
  isObject(answer) &&
  "table" in answer &&
  Object.entries(answer).every(
    ([key, value]) => Object.hasOwn(SCOPE_CHECKS, key) && SCOPE_CHECKS[key]?.(value),
  ) &&
  hasAllParameters(answer);

/** Rejects parameters without a value: a value of the request could be bound to them. */
const hasAllParameters = ({ where = "", params = {} }: Pick<ReadScope, "where" | "params">): boolean =>
  sqlTokens(where).every(
    ({ kind, text }) =>
      kind !== "parameter" || (text.startsWith(":") && Object.hasOwn(params, text.slice(1))),
  );

/** The hooks of the plugin that owns this contract. */
export const readScopeHooks = defineHooks({
  /**
   * Each read: restricts the rows and columns of tables for an actor, in all pages, formats, counts, facets, labels and
   * searches. Untrusted SQL and canned queries that read a restricted table are denied, and so are writes to rows that
   * cannot be read. Lists of tables call it once for many tables. A rule for a table or column that does not exist
   * restricts nothing; the log has a warning if a similar one exists, and if the engine rejects a condition.
   */
  read_scope: hook.collect<
    { readonly actor: Actor | null; readonly database: Database; readonly tables: readonly Table[] },
    ReadScope
  >({
    enforces: true,
    expects: {
      what: "an object with table, where, params for each of its parameters, hiddenColumns or complete, and nothing else",
      is: isReadScope,
    },
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof readScopeHooks> {}
}
