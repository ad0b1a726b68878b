import { formatDialect, sqlite } from "sql-formatter";

/** SQL with one line for each clause and column. SQL that the formatter cannot read is unchanged. */
export function formatSql(sql: string): string {
  try {
    return formatDialect(sql, { dialect: sqlite, paramTypes: { named: [":", "@", "$"] } });
  } catch {
    return sql;
  }
}
