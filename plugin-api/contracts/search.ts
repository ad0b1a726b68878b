import type { Database } from "../engine/database.js";
import type { Table } from "../engine/schema.js";
import type { Actor } from "../access/permissions.js";
import type { Request } from "../http/request.js";
import type { ReadableTable } from "./readable-table.js";
import type { FilterClause } from "./selection.js";

declare module "../kernel/rowhouse.js" {
  interface Services {
    /** Full-text search. */
    search: {
      /**
       * The condition that a row contains, for each word of `text`, a word that begins with it. Null if the table has no
       * full-text index that the actor may search, or the text has no words.
       */
      startingWith(
        searched: {
          readonly request: Request;
          readonly actor: Actor | null;
          readonly database: Database;
          readonly table: Table;
          readonly source: ReadableTable;
        },
        text: string,
      ): Promise<FilterClause | null>;
    };
  }
}
