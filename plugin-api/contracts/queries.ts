import type { Awaitable, Collect } from "../hooks.js";
import type { Database } from "../database.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";

/** A canned query as configured. Unknown keys are kept and published. */
export interface CannedQuery {
  readonly name: string;
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
 * promise. It throws or rejects for an unknown key.
 */
export type MagicParameter = readonly [
  prefix: string,
  resolve: (
    key: string,
    context: { readonly request: Request; readonly actor: Actor | null },
  ) => Awaitable<string | number | null>,
];

declare module "../hooks.js" {
  interface HookTable {
    /** Canned queries of a database. Later results win over earlier ones, and all win over the metadata. */
    canned_queries: Collect<
      { readonly database: string; readonly actor: Actor | null },
      Readonly<Record<string, string | Omit<CannedQuery, "name">>>
    >;
    /** Each run of a canned query: parameters that the server fills in, `:_<prefix>_<key>`. */
    register_magic_parameters: Collect<Readonly<Record<never, never>>, MagicParameter>;
  }
}

declare module "../route.js" {
  interface Targets {
    query: { readonly kind: "query"; readonly database: Database; readonly query: CannedQuery };
  }
}

declare module "../rowhouse.js" {
  interface Services {
    queries: {
      /** All canned queries of a database by name, in configured order. Permissions are not checked. */
      cannedQueries(database: string, actor: Actor | null): Promise<ReadonlyMap<string, CannedQuery>>;
    };
  }
}
