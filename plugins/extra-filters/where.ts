import {
  QueryLinks,
  RowhouseError,
  StatementConfined,
  meaningful,
  queryPairs,
  sqlTokens,
} from "rowhouse/plugin-api";
import type {
  Actor,
  Confinement,
  Database,
  FilterClause,
  Request,
  Rowhouse,
  SqlTokenKind,
  Table,
  TableContext,
} from "rowhouse/plugin-api";

/** The actor may not write SQL. Unlike a page that is closed, this is told as a mistake in the request. */
class WhereNotAllowed extends RowhouseError {
  readonly status = 403;
  readonly code = "WHERE_NOT_ALLOWED";
  constructor() {
    super("_where= is not allowed");
  }
}

interface FilterRequest {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
}

/**
 * `_where` fragments as they were written.
 *
 * @throws WhereNotAllowed without `execute-sql`, StatementConfined
 */
export async function whereClauses(
  rowhouse: Rowhouse,
  asked: FilterRequest,
): Promise<readonly FilterClause[]> {
  const { request, actor, database } = asked;
  const fragments = request.query.getAll("_where");
  if (fragments.length === 0) return [];
  if (!(await rowhouse.permissions.allowed(actor, "execute-sql", database.name))) throw new WhereNotAllowed();
  const confine = await whereAllowlist(rowhouse, asked, fragments);
  return fragments.map((where) => ({
    where,
    params: {},
    description: null,
    stranger: true,
    ...(confine !== null && { confine }),
  }));
}

/** @throws StatementConfined when a fragment goes round what is hidden of the table itself */
async function whereAllowlist(
  rowhouse: Rowhouse,
  { actor, database, table }: FilterRequest,
  fragments: readonly string[],
): Promise<Confinement | null> {
  const confine = await rowhouse.service("confinement").of(actor, database);
  if (confine === null || confine.tables.has(table.name)) return confine;
  // The page itself hides rows or columns of its table. Conditions on what it shows are fine.
  if (!fragments.every(isSelfContained) || fragments.some(readsTables)) throw new StatementConfined();
  return { ...confine, tables: new Set([...confine.tables, table.name]) };
}

/**
 * Means the same whatever stands before and after it: each bracket, quote and comment that it opens is closed.
 * Else the names in another argument could become SQL.
 */
function isSelfContained(fragment: string): boolean {
  let depth = 0;
  for (const { kind, text } of sqlTokens(fragment)) {
    if (text.includes("\0") || !isClosed(kind, text)) return false;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function isClosed(kind: SqlTokenKind, text: string): boolean {
  if (kind === "comment") return text.startsWith("--") ? text.endsWith("\n") : /^\/\*.*\*\/$/s.test(text);
  if (kind !== "text" && kind !== "name") return true;
  if (text.startsWith("[")) return text.endsWith("]");
  // A doubled quote stands for itself: only with an even number of them is the last one the end.
  return text.split(text.charAt(0)).length % 2 === 1;
}

/** Reads a condition tables of its own? That takes a subquery, or IN and a name. */
function readsTables(fragment: string): boolean {
  const words = meaningful(sqlTokens(fragment)).map(({ text }) => text.toLowerCase());
  return words.some((word, index) => word === "select" || (word === "in" && words[index + 1] !== "("));
}

/** The fragments with the links that take each away. */
export function extraWheres(rowhouse: Rowhouse, request: Request): NonNullable<TableContext["extraWheres"]> {
  const links = new QueryLinks(rowhouse.urls.path(request.path), queryPairs(request));
  const removed = new Map(
    [...new Set(request.query.getAll("_where"))].map((text) => [text, links.without([["_where", text]])]),
  );
  return request.query.getAll("_where").map((text) => ({ text, removeUrl: removed.get(text) ?? null }));
}
