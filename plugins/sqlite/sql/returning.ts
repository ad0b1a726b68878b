import { quoteIdentifier, type Column, type Schema, type Table } from "rowhouse/plugin-api";
import { foldName } from "rowhouse/plugin-api/names";
import { type BindableSql, isParameter, type Statement } from "./statement.js";
import { placesAtTopLevel, unquoteName, splitAtCommas, wordOf, type Token } from "./tokens.js";

/** The parts of a statement with RETURNING. */
export interface Returning {
  /** The statement before RETURNING. */
  readonly before: string;
  readonly items: readonly ReturnedItem[];
}

export interface ReturnedItem {
  readonly sql: string;
  readonly name: string;
  /** Where `sql` begins in the statement; null for a column that `*` means. */
  readonly start: number | null;
}

/** Parses a RETURNING clause; null if the statement has none. */
export function returningOf(statement: Statement, schema: Schema): Returning | null {
  const at = lastAtTopLevel(statement.tokens, ["returning"]);
  const keyword = statement.tokens[at];
  if (keyword === undefined) return null;
  const table = targetOf(statement.tokens, schema);
  const columns = new Map(table?.columns.map((column) => [foldName(column.name), column]));
  const items = splitAtCommas(statement.tokens.slice(at + 1)).flatMap((tokens) =>
    itemsOf(tokens, statement, columns),
  );
  return { before: statement.sql.slice(0, keyword.start), items };
}

/** True if the statement has a RETURNING clause outside of parentheses, and is not only explained. */
export const hasReturning = ({ tokens, verb }: Statement): boolean =>
  verb !== "explain" && lastAtTopLevel(tokens, ["returning"]) !== -1;

/** -1 without one. */
const lastAtTopLevel = (tokens: readonly Token[], words: readonly string[]): number =>
  placesAtTopLevel(tokens, (token) => words.includes(wordOf(token))).at(-1) ?? -1;

/** The table after INTO, UPDATE or DELETE FROM. */
export function targetOf(tokens: readonly Token[], schema: Schema): Table | undefined {
  const verb = lastAtTopLevel(tokens, ["into", "delete"]);
  const update = tokens.findIndex((token) => wordOf(token) === "update");
  let at = verb === -1 ? update + 1 : verb + 1;
  if (wordOf(tokens[at]) === "from") at += 1;
  if (wordOf(tokens[at]) === "or") at += 2;
  if (tokens[at + 1]?.text === ".") at += 2;
  const token = tokens[at];
  const name = token === undefined ? "" : foldName(unquoteName(token));
  return [...schema.tables.values()].find((table) => foldName(table.name) === name);
}

/** @param columns by their names in lower case */
function itemsOf(
  tokens: readonly Token[],
  { sql }: Statement,
  columns: ReadonlyMap<string, Column>,
): readonly ReturnedItem[] {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return [];
  if (tokens.length === 1 && first.text === "*") {
    const visible = [...columns.values()].filter(({ hidden }) => !hidden);
    return visible.map(({ name }) => ({ sql: quoteIdentifier(name), name, start: null }));
  }
  const { start } = first;
  const alias = aliasOf(tokens);
  if (alias !== null) return [{ sql: sql.slice(start, alias.end), name: alias.name, start }];
  const text = sql.slice(start, last.end);
  const name = isColumnReference(tokens) ? unquoteName(last) : null;
  return [{ sql: text, name: name === null ? text : (columns.get(foldName(name))?.name ?? name), start }];
}

/**
 * The statement with a RETURNING clause that returns `text`, an expression over `cells`, which name the items. The result
 * is not parsed again, because it has thousands of tokens for a table of many columns.
 *
 * @param text the expression
 */
export function returningText(
  { tokens }: Statement,
  { before, items }: Returning,
  { cells, text }: { readonly cells: readonly string[]; readonly text: string },
): BindableSql {
  const parameters = tokens.filter(isParameter);
  const moved = parameters.filter(({ end }) => end <= before.length);
  let sql = `${before} returning (select ${text} from (select `;
  items.forEach((item, index) => {
    if (index > 0) sql += ", ";
    moved.push(...parametersOf(item, parameters, sql.length));
    sql += `${item.sql} as ${cells[index] ?? ""}`;
  });
  return { sql: `${sql} limit 1)) as "row"`, tokens: moved };
}

/** The parameters of an item that is moved to another position. */
function parametersOf({ sql, start }: ReturnedItem, parameters: readonly Token[], position: number): Token[] {
  if (start === null) return [];
  return parameters
    .filter((token) => token.start >= start && token.end <= start + sql.length)
    .map((token) => ({
      ...token,
      start: token.start - start + position,
      end: token.end - start + position,
    }));
}

const NEVER_ALIASES = new Set(["null", "end", "isnull", "notnull", "true", "false"]);
const ENDS_OPERAND = new Set(["name", "quoted-name", "string", "number", "parameter", "close"]);

/** `expression as alias` or `expression alias`; `end` is where the expression ends. */
function aliasOf(tokens: readonly Token[]): { readonly name: string; readonly end: number } | null {
  const last = tokens.at(-1);
  const previous = tokens.at(-2);
  if (last === undefined || previous === undefined) return null;
  if (wordOf(previous) === "as")
    return { name: unquoteName(last), end: tokens.at(-3)?.end ?? previous.start };
  const mayBe = last.kind === "quoted-name" || (last.kind === "name" && !NEVER_ALIASES.has(wordOf(last)));
  const isOperator = OPERATORS.has(wordOf(previous));
  return mayBe && ENDS_OPERAND.has(previous.kind) && !isOperator
    ? { name: unquoteName(last), end: previous.end }
    : null;
}

const OPERATORS = new Set(
  "and or not is in like glob match regexp between collate escape distinct from".split(" "),
);

const isColumnReference = (tokens: readonly Token[]): boolean =>
  tokens.every(({ kind, text }, index) =>
    index % 2 === 0 ? kind === "name" || kind === "quoted-name" : text === ".",
  );
