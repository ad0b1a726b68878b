import type { Database } from "../database.js";
import type { Actor } from "../permissions.js";
import type { CannedQuery } from "./queries.js";

declare module "../rowhouse.js" {
  interface Services {
    confinement: {
      /**
       * What SQL that this actor wrote may read; null where nothing is hidden from them. What they may not view
       * counts as hidden only with the setting `confine_sql`, what plugins hide (`read_scope`) always.
       */
      of(actor: Actor | null, database: Database): Promise<Confinement | null>;
      /** The same for a canned query; a grant of its own opens what they may not view, `unscoped` everything. */
      ofQuery(actor: Actor | null, database: Database, query: CannedQuery): Promise<Confinement | null>;
    };
  }
  interface Settings {
    /** SQL reads no table that its author may not view. */
    confine_sql: boolean;
  }
}

/**
 * What a statement may read, whatever way it takes there: subqueries, indexes, virtual tables, views. Anything
 * that is not named here is refused: other tables, the engine's own ones, what can't be told.
 */
export interface Confinement {
  readonly tables: ReadonlySet<string>;
  /** Views that may be read although they show more than these tables. */
  readonly views: ReadonlySet<string>;
  /** The same for attached databases, by the name they are attached under. */
  readonly attached: ReadonlyMap<string, Omit<Confinement, "attached">>;
}
