import { formatDialect, postgresql, sqlite } from "sql-formatter";

/** SQL with one line for each clause and column. SQL that the formatter cannot read is unchanged. */
export function formatSql(sql: string, dialect: string | undefined): string {
  try {
    return formatDialect(sql, {
      dialect: dialect === "postgres" ? postgresql : sqlite,
      paramTypes: { named: [":", "@", "$"] },
    });
  } catch {
    return sql;
  }
}
