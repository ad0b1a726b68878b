import { DatabaseNotFound, TableNotFound } from "rowhouse/plugin-api";
import type { Actor, Chain, Reply, Request, Rowhouse } from "rowhouse/plugin-api";

/** A request that failed. */
export interface Failed {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly error: Error;
}

/**
 * Answers for a name that does not exist as for one that is hidden, wherever something is hidden from this
 * actor: the two answers side by side would tell which names exist. Null where nothing is hidden.
 */
export async function concealAbsence(
  rowhouse: Rowhouse,
  { request, actor, error }: Failed,
): Promise<Reply | null> {
  const concealed = await concealedKind(rowhouse, actor, error);
  if (concealed === null) return null;
  const message = `You do not have permission to view this ${concealed}`;
  return (await rowhouse.hooks.forbidden.promise(rowhouse, { request, actor, message })) ?? null;
}

async function concealedKind(
  rowhouse: Rowhouse,
  actor: Actor | null,
  error: Error,
): Promise<"database" | "table" | null> {
  if (error instanceof DatabaseNotFound) {
    const chains = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
    return (await anyHidden(
      rowhouse,
      actor,
      chains.map(({ name }) => databaseChain(name)),
    ))
      ? "database"
      : null;
  }
  if (!(error instanceof TableNotFound)) return null;
  const chains = await resourceChains(rowhouse, actor, error.database);
  return (await anyHidden(rowhouse, actor, chains)) ? "table" : null;
}

async function resourceChains(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
): Promise<readonly Chain[]> {
  const { tables } = await rowhouse.database(database).schema();
  const queries = (await rowhouse.serviceIfAny("queries")?.cannedQueries(database, actor)) ?? new Map();
  const above = databaseChain(database);
  return [
    ...[...tables.keys()].map((name): Chain => [["view-table", [database, name]], ...above]),
    ...[...queries.keys()].map((name: string): Chain => [["view-query", [database, name]], ...above]),
  ];
}

const databaseChain = (database: string): Chain => [
  ["view-database", database],
  ["view-instance", null],
];

async function anyHidden(
  rowhouse: Rowhouse,
  actor: Actor | null,
  chains: readonly Chain[],
): Promise<boolean> {
  const visibilities = await rowhouse.visibilityMany(actor, chains);
  return visibilities.some(({ visible }) => !visible);
}
