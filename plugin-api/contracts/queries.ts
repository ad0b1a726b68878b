import type { Awaitable, Expected } from "../kernel/hook-results.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { isObject } from "../engine/values.js";
import type { Database } from "../engine/database.js";
import type { Actor } from "../access/permissions.js";
import type { Request } from "../http/request.js";

/** A canned query as configured. Unknown keys are kept and published. */
export interface CannedQuery extends QueryDefinition {
  readonly name: string;
}

/** What the metadata or a plugin says of a canned query, by whose name it is listed. */
export interface QueryDefinition {
  readonly sql: string;
  readonly write?: boolean;
  /** The names of the parameters. Default: those in the SQL. */
  readonly params?: readonly string[];
  /**
   * True: the query reads all rows, also for actors from whom plugins hide rows (`read_scope`). Otherwise a query that
   * reads a restricted table is denied to these actors.
   */
  readonly unscoped?: boolean;
  readonly [key: string]: unknown;
}

/**
 * `[prefix, resolve]`: `:_now_epoch` calls `resolve("epoch", context)` of the prefix `now`, which returns the value or a
 * promise. It throws a RangeError, or rejects with one, for an unknown key. The log has a warning for other errors.
 */
export type MagicParameter = readonly [
  prefix: string,
  resolve: (
    key: string,
    context: { readonly request: Request; readonly actor: Actor | null },
  ) => Awaitable<string | number | null>,
];

const isMagicParameter = (answer: unknown): boolean =>
  Array.isArray(answer) && typeof answer[0] === "string" && typeof answer[1] === "function";

const isText = (value: unknown): boolean => typeof value === "string";

function isQuery(query: unknown): boolean {
  if (!isObject(query)) return isText(query);
  const { sql, write = false, params } = query;
  const areNames = (params ?? null) === null || (Array.isArray(params) && params.every(isText));
  return isText(sql) && typeof write === "boolean" && areNames;
}

/** Names without a query are ignored. */
const queriesByName: Expected = {
  what: "an object of queries by name, each of them SQL or an object with sql, write (true or false) and params (a list of names)",
  is: (answer) =>
    isObject(answer) && Object.values(answer).every((query) => (query ?? null) === null || isQuery(query)),
};

/** The hooks of the plugin that owns this contract. */
export const queryHooks = defineHooks({
  /** Canned queries of a database. Later results win over earlier ones, and all win over the metadata. */
  canned_queries: hook.collect<
    { readonly database: string; readonly actor: Actor | null },
    Readonly<Record<string, string | QueryDefinition>>
  >({
    // If the hook of a plugin fails, its queries are missing: they get 404, which discloses nothing.
    failing: "skip",
    expects: queriesByName,
  }),
  /** At start, and each run of a canned query: parameters that the server fills in, `:_<prefix>_<key>`. */
  register_magic_parameters: hook.collect<Nothing, MagicParameter>({
    // Pages of queries with such parameters have no entity tag.
    affects: "nothing",
    expects: { what: "a pair [prefix, resolve]", is: isMagicParameter },
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof queryHooks> {}
}

declare module "../http/route.js" {
  interface Targets {
    query: { readonly kind: "query"; readonly database: Database; readonly query: CannedQuery };
  }
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    queries: {
      /** All canned queries of a database by name, in configured order. Permissions are not checked. */
      cannedQueries(database: string, actor: Actor | null): Promise<ReadonlyMap<string, CannedQuery>>;
    };
  }
}
