import { formatDialect, sqlite } from "sql-formatter";

/** SQL with a line for each clause and column. What the formatter can't read is left as it is. */
export function formatSql(sql: string): string {
  try {
    return formatDialect(sql, { dialect: sqlite, paramTypes: { named: [":", "@", "$"] } });
  } catch {
    return sql;
  }
}
