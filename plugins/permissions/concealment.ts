import {
  NotFound,
  permissionChain,
  type Actor,
  type Chain,
  type Database,
  type Reply,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { DatabaseNotFound, TableNotFound } from "rowhouse/plugin-api/errors";
import { tildeDecode } from "rowhouse/plugin-api/http";

/** A request that failed. */
export interface Failed {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly error: Error;
}

/**
 * The reply for a hidden name, for a name that does not exist, so that clients cannot find out which names exist. Null
 * if nothing is hidden from the actor.
 */
export async function concealAbsence(
  rowhouse: Rowhouse,
  { request, actor, error }: Failed,
): Promise<Reply | null> {
  const missing = error instanceof NotFound ? error : error.cause;
  if (!(missing instanceof NotFound)) return null;
  if (!(await isConcealed(rowhouse, { request, actor, error: missing }))) return null;
  // The message about an operation of a batch begins with its index.
  const message = error.message.replace(missing.message, () => refusalOf(request));
  return (await rowhouse.hooks.forbidden.promise(rowhouse, { request, actor, message })) ?? null;
}

interface Refused {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly message: string;
}

/**
 * Replaces a message that reveals whether a hidden name is a table or a query, or that a hidden name exists. Null if the
 * message does not need to be replaced.
 */
export async function concealKind(
  rowhouse: Rowhouse,
  { request, actor, message }: Refused,
): Promise<Reply | null> {
  const uniform = refusalOf(request);
  if (message === uniform || isOfServer(request)) return null;
  const reveals = REVEALING.has(message) || (await namesHidden(rowhouse, actor, request));
  if (!reveals) return null;
  return (await rowhouse.hooks.forbidden.promise(rowhouse, { request, actor, message: uniform })) ?? null;
}

/** Messages that differ between kinds of names. */
const REVEALING: ReadonlySet<string> = new Set([
  ...["database", "table", "query"].map((kind) => `You do not have permission to view this ${kind}`),
  "view-database",
  "view-database-download",
]);

/**
 * True if the actor may not view the table or query that a path such as `/library/books/-/upsert` names. Routes have
 * their own refusals for it, and a query is not found by the routes of tables.
 */
function namesHidden(rowhouse: Rowhouse, actor: Actor | null, { path }: Request): Promise<boolean> {
  const [database = "", name = "-"] = path.slice(1).split("/").map(tildeDecode);
  const named =
    name === "-"
      ? [{ database }]
      : [
          { database, table: name },
          { database, query: name },
        ];
  return anyHidden(rowhouse, actor, named.map(permissionChain));
}

const isOfServer = ({ path }: Request): boolean => path.startsWith("/-/");

/** The message for a path, which does not depend on what the path names. */
function refusalOf({ method, path }: Request): string {
  if (method !== "GET" && method !== "HEAD") return "Permission denied";
  return `You do not have permission to view this ${path.lastIndexOf("/") > 0 ? "table" : "database"}`;
}

async function isConcealed(rowhouse: Rowhouse, { request, actor, error }: Failed): Promise<boolean> {
  if (error instanceof TableNotFound) {
    return anyHidden(rowhouse, actor, await resourceChains(rowhouse, actor, error.database));
  }
  const [name = "", resource = "-"] = request.path.slice(1).split("/").map(tildeDecode);
  const database = rowhouse.databases.get(name);
  if (error instanceof DatabaseNotFound || (database === undefined && !isOfServer(request))) {
    const shown = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
    return anyHidden(
      rowhouse,
      actor,
      shown.map((one) => permissionChain({ database: one })),
    );
  }
  if (database === undefined) return false;
  // No route has this path. It must not matter whether the name in it exists.
  const isKnown = resource === "-" || (await exists(rowhouse, actor, database, resource));
  if (isKnown) return namesHidden(rowhouse, actor, request);
  return anyHidden(rowhouse, actor, await resourceChains(rowhouse, actor, database.name));
}

async function exists(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  name: string,
): Promise<boolean> {
  const queries = await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor);
  return queries?.has(name) === true || (await database.schema()).tables.has(name);
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
