import { DatabaseNotFound, TableNotFound, permissionChain } from "rowhouse/plugin-api";
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
  if (!(await isConcealed(rowhouse, actor, error))) return null;
  return (
    (await rowhouse.hooks.forbidden.promise(rowhouse, { request, actor, message: refusalOf(request) })) ??
    null
  );
}

interface Refused {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly message: string;
}

/**
 * The refusal of a hidden name in words that tell nothing of its kind, since nobody can tell the kind of a name
 * that does not exist. Null where the words are these already.
 */
export async function concealKind(
  rowhouse: Rowhouse,
  { request, actor, message }: Refused,
): Promise<Reply | null> {
  const uniform = refusalOf(request);
  if (!TELLING.has(message) || message === uniform || request.path.startsWith("/-/")) return null;
  return (await rowhouse.hooks.forbidden.promise(rowhouse, { request, actor, message: uniform })) ?? null;
}

const TELLING: ReadonlySet<string> = new Set([
  ...["database", "table", "query"].map((kind) => `You do not have permission to view this ${kind}`),
  "view-database",
  "view-database-download",
]);

/** What is said to whoever asks for a path, whatever it stands for. */
function refusalOf({ method, path }: Request): string {
  if (method !== "GET" && method !== "HEAD") return "Permission denied";
  return `You do not have permission to view this ${path.lastIndexOf("/") > 0 ? "table" : "database"}`;
}

async function isConcealed(rowhouse: Rowhouse, actor: Actor | null, error: Error): Promise<boolean> {
  if (error instanceof TableNotFound) {
    return anyHidden(rowhouse, actor, await resourceChains(rowhouse, actor, error.database));
  }
  if (!(error instanceof DatabaseNotFound)) return false;
  const shown = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  return anyHidden(
    rowhouse,
    actor,
    shown.map((database) => permissionChain({ database })),
  );
}

async function resourceChains(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
): Promise<readonly Chain[]> {
  const { tables } = await rowhouse.database(database).schema();
  const queries = (await rowhouse.serviceIfAny("queries")?.cannedQueries(database, actor)) ?? new Map();
  return [
    ...[...tables.keys()].map((table) => permissionChain({ database, table })),
    ...[...queries.keys()].map((query) => permissionChain({ database, query })),
  ];
}

async function anyHidden(
  rowhouse: Rowhouse,
  actor: Actor | null,
  chains: readonly Chain[],
): Promise<boolean> {
  return (await rowhouse.permissions.visible(actor, chains)).includes(false);
}
