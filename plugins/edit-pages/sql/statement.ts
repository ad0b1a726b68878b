import type { Database } from "rowhouse/plugin-api";

/** A statement as it was typed, with the values of its parameters. */
export interface TypedStatement {
  readonly sql: string;
  /** By name, in the order of the statement. */
  readonly values: ReadonlyMap<string, string>;
  /** True if a parameter had no field yet. */
  readonly isIncomplete: boolean;
}

export const NO_STATEMENT: TypedStatement = { sql: "", values: new Map(), isIncomplete: false };

/** The name of the field of a parameter: no other field has a colon. */
export const fieldOf = (parameter: string): string => `:${parameter}`;

/** Reads the fields of the form. */
export function typedStatement({ dialect }: Database, form: URLSearchParams): TypedStatement {
  // Forms send every line break as CR LF, which would be stored in texts of the statement.
  const sql = (form.get("sql") ?? "").replaceAll("\r\n", "\n");
  const named = dialect.parameters(sql).filter((parameter) => !parameter.startsWith("?"));
  const names = [...new Set(named.map((parameter) => parameter.slice(1)))];
  return {
    sql,
    values: new Map(names.map((name) => [name, form.get(fieldOf(name)) ?? ""])),
    isIncomplete: names.some((name) => !form.has(fieldOf(name))),
  };
}
