import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { Database } from "../engine/database.js";
import type { Actor } from "../access/permissions.js";
import type { ReadAllowlist } from "../engine/reads.js";
import type { CannedQuery } from "./queries.js";

/** The settings of the plugin confine-sql. */
export const confineSqlSettings = defineSettings({
  /** SQL written by an actor reads only tables that the actor may view. */
  confine_sql: {
    default: false,
    help: "SQL reads only tables that the actor may view; if off, actors with execute-sql read the whole database",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Services {
    confinement: {
      /**
       * What SQL written by this actor may read; null for no restriction. Rows and columns that plugins hide
       * (`read_scope`) always restrict it, tables that the actor may not view only with the setting `confine_sql`.
       */
      of(actor: Actor | null, database: Database): Promise<ReadAllowlist | null>;
      /**
       * The same for a canned query. A query that the actor is allowed to view explicitly may read tables that they
       * may not view; a query with `unscoped` may read everything.
       */
      ofQuery(actor: Actor | null, database: Database, query: CannedQuery): Promise<ReadAllowlist | null>;
    };
  }
  interface Settings extends SettingsOf<typeof confineSqlSettings> {}
}
