import { permissionChain, visibilityOf } from "rowhouse/plugin-api";
import type { Actor, CannedQuery, Database, Rowhouse } from "rowhouse/plugin-api";

export interface VisibleQuery {
  readonly query: CannedQuery;
  readonly private: boolean;
}

/** The canned queries that somebody may view, in configured order; none where no plugin provides queries. */
export async function visibleQueries(
  rowhouse: Rowhouse,
  { actor, database }: { readonly actor: Actor | null; readonly database: Database },
): Promise<readonly VisibleQuery[]> {
  const all = await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor);
  const queries = [...(all?.values() ?? [])];
  const chains = queries.map((query) => permissionChain({ database, query }));
  const answers = await visibilityOf(rowhouse.permissions, actor, chains);
  return queries.flatMap((query, index) => {
    const answer = answers[index];
    return answer?.visible === true ? [{ query, private: answer.private }] : [];
  });
}
