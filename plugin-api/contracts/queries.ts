import type { Awaitable, Collect } from "../hooks.js";
import type { Database } from "../database.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";

/** A named query as configured; unknown keys are kept and published. */
export interface CannedQuery {
  readonly name: string;
  readonly sql: string;
  readonly write?: boolean;
  /** The parameter list, which replaces the one read from the SQL. */
  readonly params?: readonly string[];
  /**
   * The query's author vouches for what it shows: it runs over all rows, also for somebody from whom plugins hide
   * some (`read_scope`). Without it such a query is refused to them.
   */
  readonly unscoped?: boolean;
  readonly [key: string]: unknown;
}

/**
 * `[prefix, resolve]`: `resolve("epoch", request)` for `:_now_epoch`, at once or by a promise. Throw or reject to mean
 * that there is no such key.
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
    /** The canned queries of a database; later answers win over earlier ones, all of them over metadata's. */
    canned_queries: Collect<
      { readonly database: string; readonly actor: Actor | null },
      Readonly<Record<string, string | Omit<CannedQuery, "name">>>
    >;
    /** Each run of a saved query: parameters that the server fills in, `:_<prefix>_<key>`. */
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
      /** Every canned query of a database, by name, in configured order; permissions not applied. */
      cannedQueries(database: string, actor: Actor | null): Promise<ReadonlyMap<string, CannedQuery>>;
    };
  }
}
