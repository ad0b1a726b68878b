import { quoteIdentifier, type Table } from "rowhouse/plugin-api";
import { isSameName } from "rowhouse/plugin-api/names";
import { isWord, meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";

/** Statements that make SQLite compile a view, or the triggers of a table or view. */
export function compileProbes(table: Table): readonly (readonly [place: string, sql: string])[] {
  const triggers = new Set(table.triggers.flatMap(({ sql }) => firingStatement(table, sql)));
  return [
    ...(table.kind === "view"
      ? ([[`view ${table.name}`, `explain select * from ${quoteIdentifier(table.name)}`]] as const)
      : []),
    ...[...triggers].map((sql) => [`triggers of ${table.name}`, sql] as const),
  ];
}

/** The statement for which a trigger runs, if there is one. */
function firingStatement(table: Table, sql: string): readonly string[] {
  const name = quoteIdentifier(table.name);
  const tokens = meaningful(sqlTokens(sql));
  const start = tokens.findIndex((token) => isWord(token, "insert", "update", "delete"));
  const event = tokens[start]?.text.toLowerCase();
  if (event === "insert") return [`explain insert into ${name} default values`];
  if (event === "delete") return [`explain delete from ${name}`];
  const columns = columnsOf(tokens, start) ?? table.columns.map((column) => column.name);
  const assigned = columns
    .filter((column) => !isGenerated(table, column))
    .map((column) => `${quoteIdentifier(column)} = null`);
  return assigned.length === 0 ? [] : [`explain update ${name} set ${assigned.join(", ")}`];
}

/** The columns of `update of a, b on t`, for which alone the trigger runs; null if there are none. */
function columnsOf(tokens: readonly SqlToken[], start: number): readonly string[] | null {
  if (!isWord(tokens[start + 1], "of")) return null;
  const end = tokens.findIndex((token, index) => index > start && isWord(token, "on"));
  return tokens
    .slice(start + 2, end)
    .filter(({ kind }) => kind !== "symbol")
    .map(({ text }) => unquote(text));
}

const isGenerated = ({ columns }: Table, column: string): boolean =>
  columns.some(({ name, generated }) => generated !== "no" && isSameName(name, column));
