import type { Confinement } from "../confinement.js";
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
