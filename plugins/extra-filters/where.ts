import {
  RowhouseError,
  type Actor,
  type Database,
  type Request,
  type Rowhouse,
  type Table,
} from "rowhouse/plugin-api";
import { StatementConfined } from "rowhouse/plugin-api/errors";
import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";
import type { FilterClause } from "rowhouse/plugin-api/contracts";
import { findsTables, type ReadAllowlist } from "rowhouse/plugin-api/engine";

/** `_where` without the `execute-sql` permission. Reported as an error of the request, not as a forbidden page. */
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
 * Conditions for `_where` arguments, unchanged.
 *
 * @throws WhereNotAllowed without `execute-sql`
 * @throws StatementConfined if a fragment could read hidden rows or columns
 */
export async function whereClauses(
  rowhouse: Rowhouse,
  page: FilterRequest,
): Promise<readonly FilterClause[]> {
  const { request, actor, database } = page;
  const fragments = request.query.getAll("_where");
  if (!(await rowhouse.permissions.allowed(actor, "execute-sql", database.name))) throw new WhereNotAllowed();
  const allowlist = await whereAllowlist(rowhouse, page, fragments);
  return fragments.map((where) => ({
    where,
    params: {},
    description: null,
    argument: ["_where", where],
    untrusted: true,
    ...(allowlist !== null && { allowlist }),
  }));
}

/** What the fragments may read. @throws StatementConfined if one could bypass the restriction of the table itself */
async function whereAllowlist(
  rowhouse: Rowhouse,
  { actor, database, table }: FilterRequest,
  fragments: readonly string[],
): Promise<ReadAllowlist | null> {
  const allowlist = await rowhouse.service("confinement").of(actor, database);
  if (allowlist === null || allowlist.tables.has(table.name)) return allowlist;
  // The page already hides rows or columns of its table. A condition on the visible rows is allowed.
  if (!fragments.every(isSelfContained) || fragments.some(readsTables) || !(await findsTables(database)))
    throw new StatementConfined();
  return { ...allowlist, tables: new Set([...allowlist.tables, table.name]) };
}

/**
 * True if a fragment closes every parenthesis, quote and comment that it opens. Otherwise it could change the meaning
 * of the surrounding SQL.
 */
function isSelfContained(fragment: string): boolean {
  let depth = 0;
  for (const token of sqlTokens(fragment)) {
    const { text } = token;
    if (text.includes("\0") || !token.isValid || !isClosedComment(token)) return false;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** SQLite accepts a comment that extends to the end of the SQL. */
const isClosedComment = ({ kind, text }: SqlToken): boolean =>
  kind !== "comment" || (text.startsWith("--") ? text.endsWith("\n") : /^\/\*.*\*\/$/s.test(text));

/** True if a fragment reads tables: with a subquery, or with IN and a name. */
function readsTables(fragment: string): boolean {
  const words = meaningful(sqlTokens(fragment)).map(({ text }) => text.toLowerCase());
  return words.some((word, index) => word === "select" || (word === "in" && words[index + 1] !== "("));
}
