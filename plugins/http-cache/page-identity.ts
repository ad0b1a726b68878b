import { hash, randomUUID } from "node:crypto";
import { isOutOfService, jsonText, permissionChain, visibilityOf } from "rowhouse/plugin-api";
import type { Database, Rowhouse, Visit, Chain } from "rowhouse/plugin-api";
import { dependsOnDataOnly } from "./cacheability.js";

// Settings, plugins, templates and code stay as they are for the life of a process, and database versions
// mean nothing to another one.
const PROCESS = randomUUID();

/**
 * Everything that decides what the page of this visit will say, known before the page is made: the state of the
 * data, the address, the visitor, the format. The page may turn out newer than this says, never older.
 *
 * @returns null where the page may change although the data does not
 */
export async function pageIdentity(rowhouse: Rowhouse, visit: Visit): Promise<string | null> {
  if (rowhouse.option("reload") === true) return null;
  const databases = databasesOf(rowhouse, visit);
  if (!(await dependsOnDataOnly(rowhouse, visit, databases))) return null;
  const permissions = await permissionFacts(rowhouse, visit, databases);
  if (permissions === null) return null;
  const { receivedMs } = visit.request;
  const versions = await versionsOf(databases, receivedMs);
  if (versions === null) return null;
  const states = versions.map(({ schema, data }) => `${schema} ${data}`).join();
  // None of these holds a line break of its own: no part can be taken for another.
  const described = [
    metadataVersion(rowhouse),
    (await rowhouse.serviceIfAny("columnTypes")?.edition(receivedMs)) ?? "",
  ];
  return [PROCESS, states, jsonText(permissions), ...described, ...visitFacts(visit)].join("\n");
}

async function versionsOf(databases: readonly Database[], asOf: number) {
  try {
    return await Promise.all(databases.map((database) => database.version(asOf)));
  } catch (error) {
    // The page says so itself, if it is about that database at all.
    if (isOutOfService(error)) return null;
    throw error;
  }
}

/** A weak entity tag of the page with this identity. */
export const entityTag = (identity: string): string =>
  `W/"${hash("sha256", identity, "base64url").slice(0, 22)}"`;

function visitFacts({ request, target, actor, format }: Visit): readonly string[] {
  // Pages show messages, themes and form tokens that come out of cookies.
  const cookies = format === "html" ? (request.headers["cookie"] ?? "") : "";
  const sql = target.kind === "query" ? jsonText(target.query) : "";
  const visitor = actor === null ? "" : jsonText(actor);
  return [request.origin, request.path, request.queryString, format, visitor, sql, cookies];
}

/** Those whose data the page shows: one, or on the list of databases all. */
const databasesOf = (rowhouse: Rowhouse, { target }: Visit): readonly Database[] =>
  "database" in target
    ? [target.database]
    : [...rowhouse.databases.values()].filter(({ internal }) => !internal);

const metadataVersions = new WeakMap<object, string>();

/** Another one whenever the metadata was loaded anew. */
function metadataVersion(rowhouse: Rowhouse): string {
  const document = rowhouse.serviceIfAny("metadata")?.current().document;
  if (document === undefined) return "";
  const known = metadataVersions.get(document) ?? randomUUID();
  metadataVersions.set(document, known);
  return known;
}

// Beyond this, asking costs more than the page is likely to.
const MAX_RESOURCES = 200;

/**
 * What other people's permission plugins answer now about everything a page may show or leave out, to this visitor
 * and to strangers: their answers may change although nothing else does.
 *
 * @returns null where that can't be told
 */
export async function permissionFacts(
  rowhouse: Rowhouse,
  visit: Visit,
  databases: readonly Database[],
): Promise<readonly unknown[] | null> {
  if (!rowhouse.plugins.some(decidesPermissions)) return [];
  // Menus ask about any action.
  const [database, ...others] = databases;
  if (visit.format === "html" || database === undefined || others.length > 0) return null;
  const lists = await chainsOf(rowhouse, visit, database);
  if (lists.flat().length > MAX_RESOURCES) return null;
  return Promise.all([
    ...lists.map((chains) => visibilityOf(rowhouse.permissions, visit.actor, chains)),
    rowhouse.permissions.allowed(visit.actor, "execute-sql", database.name),
  ]);
}

const decidesPermissions = ({ bundled, hooks }: Rowhouse["plugins"][number]): boolean =>
  !bundled && hooks.some((hook) => hook.startsWith("permission_allowed"));

/** The questions about a database, its tables and its queries: lists of one form each. */
async function chainsOf(
  rowhouse: Rowhouse,
  { actor }: Visit,
  database: Database,
): Promise<readonly (readonly Chain[])[]> {
  const { tables } = await database.schema();
  const queries = (await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor)) ?? new Map();
  return [
    [permissionChain({ database })],
    [...tables.keys()].map((table) => permissionChain({ database, table })),
    [...queries.keys()].map((query) => permissionChain({ database, query })),
  ];
}
