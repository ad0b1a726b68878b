import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/sql";

/** The SQL of SQLite where engines differ. Plugins use it instead of SQL of their own. */
export const sqliteDialect: Dialect = {
  quoteIdentifier,
  limit: (count, offset) => ` limit ${count}${offset === undefined ? "" : ` offset ${offset}`}`,
  fullTextMatch: ({ table, column, key, parameter, raw }) => {
    const index = quoteIdentifier(table);
    const text = raw ? `:${parameter}` : `escape_fts(:${parameter})`;
    const matched = column === null ? index : quoteIdentifier(column);
    return `${quoteIdentifier(key)} in (select rowid from ${index} where ${matched} match ${text})`;
  },
  dateOf: (column) => `date(${quoteIdentifier(column)})`,
};
