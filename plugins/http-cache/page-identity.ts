import { hash, randomUUID } from "node:crypto";
import {
  jsonText,
  permissionChain,
  type Database,
  type Rowhouse,
  type Visit,
  type Chain,
} from "rowhouse/plugin-api";
import { visibilityOf } from "rowhouse/plugin-api/access";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import { changesBesideData, dependsOnDataOnly } from "./cacheability.js";

// Settings, plugins, templates and code do not change while a process runs. Database versions are valid only within
// one process.
const PROCESS = randomUUID();

/**
 * Everything that determines the page of this visit, known before the page is made: data version, URL, actor, format.
 * The page may be newer than its identity, but never older.
 *
 * @returns null if the page may change although the data does not
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
  // No part contains a line break, so joining them is unambiguous.
  const configuration = [
    metadataVersion(rowhouse),
    (await rowhouse.serviceIfAny("columnTypes")?.edition(receivedMs)) ?? "",
  ];
  return [PROCESS, states, jsonText(permissions), ...configuration, ...visitFacts(visit)].join("\n");
}

async function versionsOf(databases: readonly Database[], asOf: number) {
  try {
    return await Promise.all(databases.map((database) => database.version(asOf)));
  } catch (error) {
    // The page itself reports the error if it needs that database.
    if (isOutOfService(error)) return null;
    throw error;
  }
}

/** A weak entity tag of the page with this identity. */
export const entityTag = (identity: string): string =>
  `W/"${hash("sha256", identity, "base64url").slice(0, 22)}"`;

function visitFacts({ request, target, actor, format }: Visit): readonly string[] {
  // HTML pages show messages, themes and form tokens from cookies.
  const cookies = format === "html" ? (request.headers["cookie"] ?? "") : "";
  const sql = target.kind === "query" ? jsonText(target.query) : "";
  const actorText = actor === null ? "" : jsonText(actor);
  return [request.origin, request.path, request.queryString, format, actorText, sql, cookies];
}

/** The databases whose data the page shows: one, or all on the list of databases. */
const databasesOf = (rowhouse: Rowhouse, { target }: Visit): readonly Database[] =>
  "database" in target
    ? [target.database]
    : [...rowhouse.databases.values()].filter(({ internal }) => !internal);

const metadataVersions = new WeakMap<object, string>();

/** A random version that changes when the metadata is reloaded. */
function metadataVersion(rowhouse: Rowhouse): string {
  const document = rowhouse.serviceIfAny("metadata")?.current().document;
  if (document === undefined) return "";
  const known = metadataVersions.get(document) ?? randomUUID();
  metadataVersions.set(document, known);
  return known;
}

// With more resources, checking permissions costs more than making the page.
const MAX_RESOURCES = 200;

/**
 * The current decisions of permission plugins that are not `deterministic` on everything that a page may show, for this actor and for
 * anonymous clients. They are part of the identity because they may change although nothing else does.
 *
 * @returns null if there are too many, or if the page may check other permissions
 */
export async function permissionFacts(
  rowhouse: Rowhouse,
  visit: Visit,
  databases: readonly Database[],
): Promise<readonly unknown[] | null> {
  if (!changesBesideData(rowhouse).has("permissions")) return [];
  // Menus of HTML pages may check any action.
  const [database, ...others] = databases;
  if (visit.format === "html" || database === undefined || others.length > 0) return null;
  const lists = await chainsOf(rowhouse, visit, database);
  if (lists.flat().length > MAX_RESOURCES) return null;
  return Promise.all([
    ...lists.map((chains) => visibilityOf(rowhouse.permissions, visit.actor, chains)),
    rowhouse.permissions.allowed(visit.actor, "execute-sql", database.name),
  ]);
}

/** The permission chains of a database, its tables and its queries: lists of chains of equal form. */
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
