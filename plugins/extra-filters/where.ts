import { RowhouseError, withQuery } from "rowhouse/plugin-api";
import type { Actor, Database, FilterClause, Request, Rowhouse, TableContext } from "rowhouse/plugin-api";

/** The actor may not write SQL. Unlike a page that is closed, this is told as a mistake in the request. */
class WhereNotAllowed extends RowhouseError {
  readonly status = 403;
  readonly code = "WHERE_NOT_ALLOWED";
  constructor() {
    super("_where= is not allowed");
  }
}

interface Asked {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: Database;
}

/**
 * `_where` fragments as they were written.
 *
 * @throws WhereNotAllowed without `execute-sql`
 */
export async function whereClauses(
  rowhouse: Rowhouse,
  { request, actor, database }: Asked,
): Promise<readonly FilterClause[]> {
  const fragments = request.query.getAll("_where");
  if (fragments.length === 0) return [];
  if (!(await rowhouse.allowed(actor, "execute-sql", database.name))) throw new WhereNotAllowed();
  return fragments.map((where) => ({ where, params: {}, description: null, stranger: true }));
}

/** The fragments with the links that take each away. */
export function extraWheres(rowhouse: Rowhouse, request: Request): NonNullable<TableContext["extraWheres"]> {
  const pairs = [...request.query];
  return request.query.getAll("_where").map((text) => {
    const kept = pairs.filter(([name, value]) => name !== "_where" || value !== text);
    return { text, removeUrl: rowhouse.urls.path(withQuery(request.path, kept)) };
  });
}
