import type { Actor, CannedQuery, Rowhouse } from "rowhouse/plugin-api";

/** Every canned query of a database by name: the metadata's, then those of plugins, which win over equal names. */
export async function cannedQueries(
  rowhouse: Rowhouse,
  database: string,
  actor: Actor | null,
): Promise<ReadonlyMap<string, CannedQuery>> {
  const configured = rowhouse.serviceIfAny("metadata")?.current().queries(database) ?? {};
  const added = await rowhouse.hooks.canned_queries.promise([], rowhouse, { database, actor });
  const queries = new Map<string, CannedQuery>();
  for (const [name, query] of [
    ...Object.entries(configured),
    ...added.flatMap((one) => Object.entries(one)),
  ]) {
    const block: Readonly<Record<string, unknown>> =
      typeof query === "string" ? { sql: query } : ((query as typeof query | null | undefined) ?? {});
    const { sql } = block;
    if (typeof sql === "string") queries.set(name, { ...block, sql, name });
  }
  return queries;
}
