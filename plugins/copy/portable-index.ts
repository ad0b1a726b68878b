import type { Dialect, Index } from "rowhouse/plugin-api/engine";
import { isWord, meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import { closingOf, partsOf, type Expression } from "./declaration.js";
import { portableExpression, type TargetColumns } from "./portable-expression.js";

/** An index to make in the target. */
export interface IndexCopy {
  readonly table: string;
  readonly index: Index;
  readonly columns: TargetColumns;
}

/**
 * The statement that makes an index in the target, also a partial one and one of expressions; null if it has an
 * expression, a collation or a method that not all engines have.
 */
export function indexStatement(
  { definitions }: Dialect,
  { table, index, columns }: IndexCopy,
): string | null {
  const name = definitions.declaredName;
  const verb = index.unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
  const head = `${verb} ${name(index.name)} ON ${name(table)}`;
  const plain = index.columns.flatMap((column) => (column === null ? [] : [name(column)]));
  const tokens = meaningful(sqlTokens(index.sql ?? ""));
  // What a unique index of another collation forbids is different.
  const isCollated = index.unique && tokens.some((token) => isWord(token, "collate"));
  if (!index.partial && !isCollated && plain.length === index.columns.length)
    return `${head} (${plain.join(", ")})`;
  const on = tokens.findIndex((token) => isWord(token, "on"));
  const open = tokens.findIndex(({ text }, place) => place > on && text === "(");
  const close = closingOf(tokens, open);
  const method = tokens.slice(on, open).findIndex((token) => isWord(token, "using"));
  if (on === -1 || open === -1 || (method !== -1 && !isWord(tokens[on + method + 1], "btree"))) return null;
  const parts = partsOf(tokens.slice(open + 1, close)).map((part) => indexedPart(part, columns, name));
  const condition = conditionOf(tokens.slice(close + 1), columns);
  if (condition === null || parts.includes(null)) return null;
  return `${head} (${parts.join(", ")})${condition}`;
}

/** A column, or an expression in brackets, with its direction. */
function indexedPart(
  part: Expression,
  columns: TargetColumns,
  name: (column: string) => string,
): string | null {
  const last = part.at(-1);
  const isDirected = isWord(last, "desc") || isWord(last, "asc");
  const own = isDirected ? part.slice(0, -1) : part;
  const direction = isWord(last, "desc") ? " DESC" : "";
  const [only, ...more] = own;
  const column = [...columns.types.keys()].find((one) => one === unquote(only?.text ?? ""));
  if (column !== undefined && more.length === 0) return name(column) + direction;
  const expression = portableExpression(own, columns);
  return expression === null ? null : `(${expression})${direction}`;
}

/** ` WHERE ...`, an empty text without it, null if it is not portable. */
function conditionOf(tokens: Expression, columns: TargetColumns): string | null {
  const [where, ...condition] = tokens;
  if (where === undefined) return "";
  const expression = isWord(where, "where") ? portableExpression(condition, columns) : null;
  return expression === null ? null : ` WHERE ${expression}`;
}
