import { hash, randomUUID } from "node:crypto";
import {
  jsonText,
  permissionChain,
  type Database,
  type Rowhouse,
  type Schema,
  type Visit,
  type Chain,
} from "rowhouse/plugin-api";
import { visibilityOf } from "rowhouse/plugin-api/access";
import { dependsOnDataAlone, hasStoredRows } from "rowhouse/plugin-api/engine";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import { kernelHooks, type Affects, type HookSpec } from "rowhouse/plugin-api/kernel";

// Settings, plugins, templates and code do not change while a process runs. Database versions are valid only within
// one process.
const PROCESS = randomUUID();

/** Everything that determines the page of a visit, or null if the page may change although the data does not. */
export type IdentityOf = (visit: Visit) => Promise<string | null>;

/**
 * The identity of pages of a server, known before a page is made: data version, URL, actor, format. The page may be newer
 * than its identity, but never older.
 */
export function pageIdentity(rowhouse: Rowhouse): IdentityOf {
  let changes: ReadonlySet<Affects> | null = null;
  return (visit) => {
    changes ??= changesBesideData(rowhouse);
    return identityOf(visit, changes);
  };
}

async function identityOf(visit: Visit, changes: ReadonlySet<Affects>): Promise<string | null> {
  const { rowhouse } = visit;
  if (rowhouse.option("reload") === true) return null;
  const databases = databasesOf(visit);
  if (!(await dependsOnDataOnly(visit, databases, changes))) return null;
  const permissions = changes.has("permissions") ? await permissionFacts(visit, databases) : [];
  if (permissions === null) return null;
  const { receivedMs } = visit.request;
  const versions = await versionsOf(databases, receivedMs);
  if (versions === null || (await countsUnstoredRows(visit, databases))) return null;
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

function visitFacts({ rowhouse, request, actor, format }: Visit): readonly string[] {
  // HTML pages show messages, themes and form tokens from cookies.
  const cookies = format === "html" ? (request.headers["cookie"] ?? "") : "";
  const language = format === "html" ? (rowhouse.serviceIfAny("texts")?.of(request).language ?? "") : "";
  const actorText = actor === null ? "" : jsonText(actor);
  return [request.origin, request.path, request.queryString, format, actorText, cookies, language];
}

/** The databases whose data the page shows: one, or all on the list of databases. */
const databasesOf = ({ rowhouse, target }: Visit): readonly Database[] =>
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
async function permissionFacts(
  visit: Visit,
  databases: readonly Database[],
): Promise<readonly unknown[] | null> {
  // Menus of HTML pages may check any action.
  const [database, ...others] = databases;
  if (visit.format === "html" || database === undefined || others.length > 0) return null;
  const lists = await chainsOf(visit, database);
  if (lists.flat().length > MAX_RESOURCES) return null;
  const { permissions } = visit.rowhouse;
  return Promise.all([
    ...lists.map((chains) => visibilityOf(permissions, visit.actor, chains)),
    permissions.allowed(visit.actor, "execute-sql", database.name),
  ]);
}

/** The permission chains of a database, its tables and its queries: lists of chains of equal form. */
async function chainsOf(
  { rowhouse, actor, request }: Visit,
  database: Database,
): Promise<readonly (readonly Chain[])[]> {
  const { tables } = await database.schema(request.receivedMs);
  const queries = (await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor)) ?? new Map();
  return [
    [permissionChain({ database })],
    [...tables.keys()].map((table) => permissionChain({ database, table })),
    [...queries.keys()].map((query) => permissionChain({ database, query })),
  ];
}

/**
 * True if the page changes only when the database changes. False if SQL calls date, time, random or unknown functions, if a
 * canned query has a magic parameter, and if a plugin that is not `deterministic` contributes to the page.
 */
async function dependsOnDataOnly(
  visit: Visit,
  databases: readonly Database[],
  changes: ReadonlySet<Affects>,
): Promise<boolean> {
  const { rowhouse } = visit;
  if (databases.some(({ memory, internal }) => memory || internal)) return false;
  if (visit.request.query.has("_trace") || readsRequest(visit)) return false;
  if (changes.has("data") || (visit.format === "html" && changes.has("html"))) return false;
  // Custom templates may be edited at any time and may show any data.
  if (visit.format === "html" && rowhouse.option("templateDir") !== undefined) return false;
  const sql = customSql(visit);
  if (sql.length === 0 && isStored(visit)) return true;
  if ((rowhouse.option("loadExtension") ?? []).length > 0) return false;
  if ([...visit.request.query.values()].some(namesTime)) return false;
  const table = "table" in visit.target ? visit.target.table : undefined;
  const answers = await Promise.all(
    databases.map(async (one) =>
      dependsOnDataAlone(one, await one.schema(visit.request.receivedMs), { table, sql }),
    ),
  );
  return answers.every(Boolean);
}

/** What plugins change in replies for other reasons than the data: see `affects` of hooks and `deterministic`. */
function changesBesideData(rowhouse: Rowhouse): ReadonlySet<Affects> {
  const plugins = rowhouse.plugins.map(({ plugin }) => plugin);
  const declared = Object.assign({}, kernelHooks, ...plugins.map(({ hooks }) => hooks)) as Readonly<
    Record<string, HookSpec>
  >;
  const deterministic = new Set(plugins.filter((plugin) => plugin.deterministic).map(({ name }) => name));
  const changes = Object.entries(rowhouse.hooks)
    .filter(([, { taps }]) => taps.some(({ name }) => !deterministic.has(name)))
    // A hook without an owner is never called.
    .flatMap(([hook]) => (Object.hasOwn(declared, hook) ? affectedBy(declared[hook]) : []));
  return new Set(changes);
}

const affectedBy = (spec: HookSpec | undefined): Affects =>
  typeof spec === "object" ? (spec.affects ?? "data") : "data";

/** The custom SQL of this page, from the URL or the configuration. */
function customSql({ request, target }: Visit): readonly string[] {
  const fromUrl = [...request.query.getAll("sql"), ...request.query.getAll("_where")];
  return target.kind === "query" ? [target.query.sql, ...fromUrl] : fromUrl;
}

/** True for a query with a magic parameter: its value is that of a header, a cookie or the time. */
const readsRequest = ({ target }: Visit): boolean =>
  target.kind === "query" &&
  target.database.dialect.parameters(target.query.sql).some((text) => text.startsWith("_", 1));

function isStored({ target }: Visit): boolean {
  if (target.kind === "database" || target.kind === "instance") return true;
  return (target.kind === "table" || target.kind === "row") && hasStoredRows(target.table);
}

/** Lists of tables show how many rows each has, also if the rows of one are in another file or on another server. */
async function countsUnstoredRows(visit: Visit, databases: readonly Database[]): Promise<boolean> {
  const { kind } = visit.target;
  const isList = (kind === "database" || kind === "instance") && customSql(visit).length === 0;
  if (!isList) return false;
  const schemas = await Promise.all(databases.map((one) => one.schema(visit.request.receivedMs)));
  return schemas.some(hasUnstoredTable);
}

const unstoredTables = new WeakMap<Schema, boolean>();

function hasUnstoredTable(schema: Schema): boolean {
  const known = unstoredTables.get(schema);
  if (known !== undefined) return known;
  const found = [...schema.tables.values()].some((one) => one.kind === "table" && !hasStoredRows(one));
  unstoredTables.set(schema, found);
  return found;
}

// A parameter can pass the word to `date(:day)`, or to a cast.
const namesTime = (value: string): boolean =>
  /^\s*(?:now|subsec(?:ond)?|today|tomorrow|yesterday)\b/i.test(value);
