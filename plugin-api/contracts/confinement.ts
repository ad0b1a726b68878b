import type { Confinement } from "../confinement.js";
import type { Database } from "../database.js";
import type { Actor } from "../permissions.js";
import type { CannedQuery } from "./queries.js";

declare module "../rowhouse.js" {
  interface Services {
    confinement: {
      /**
       * What SQL that this actor wrote may read; null where nothing is hidden from them, or the setting
       * `confine_sql` is off.
       */
      of(actor: Actor | null, database: Database): Promise<Confinement | null>;
      /** The same for a canned query; null also where the query has a grant of its own. */
      ofQuery(actor: Actor | null, database: Database, query: CannedQuery): Promise<Confinement | null>;
    };
  }
  interface Settings {
    /** SQL reads no table that its author may not view. */
    confine_sql: boolean;
  }
}
