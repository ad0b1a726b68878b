import type { Actor, CannedQuery, Chain, Database, Rowhouse } from "rowhouse/plugin-api";

export interface VisibleQuery {
  readonly query: CannedQuery;
  readonly private: boolean;
}

/** The canned queries that somebody may view, in configured order; none where no plugin provides queries. */
export async function visibleQueries(
  rowhouse: Rowhouse,
  {
    actor,
    database,
    above,
  }: { readonly actor: Actor | null; readonly database: Database; readonly above: Chain },
): Promise<readonly VisibleQuery[]> {
  const all = await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor);
  const queries = [...(all?.values() ?? [])];
  const chains = queries.map(({ name }): Chain => [["view-query", [database.name, name]], ...above]);
  const answers = await rowhouse.visibilityMany(actor, chains);
  return queries.flatMap((query, index) => {
    const answer = answers[index];
    return answer?.visible === true ? [{ query, private: answer.private }] : [];
  });
}
