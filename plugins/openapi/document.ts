import { jsonText, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { jsonString } from "rowhouse/plugin-api/json";
import { catalogueFor, maySaveDashboards, type VisibleDatabase, type VisibleTable } from "./catalogue.js";
import { errorSchema, responses, schemas } from "./components.js";
import { dashboardEndpoints, type DashboardRights } from "./dashboard-endpoints.js";
import { suggestionEndpoints, targetEndpoints } from "./foreign-key-endpoints.js";
import { instanceEndpoints } from "./instance-endpoints.js";
import { UniqueNames, identifier } from "./names.js";
import { savedViewEndpoints } from "./saved-view-endpoints.js";
import { groupParameters, lookupEndpoints } from "./lookup-endpoints.js";
import {
  schemaRef,
  type Endpoint,
  type JsonSchema,
  type OpenApi,
  type PathItem,
  type Reference,
} from "./openapi.js";
import { parameterComponents, writeHeaders } from "./parameters.js";
import { databaseEndpoint, queryEndpoint } from "./query-endpoints.js";
import { references, tableEndpoints, type DescribedTable } from "./read-endpoints.js";
import { changesSchema, keyedRowSchema, newRowSchema, rowSchema } from "./row-schemas.js";
import { commonBodies, type WrittenRows } from "./table-writes.js";
import { databaseWriteEndpoints, writeEndpoints, type WriteSupport } from "./write-endpoints.js";

/** A database with its tables under their names in the document. */
interface DescribedDatabase {
  readonly database: VisibleDatabase;
  readonly tables: readonly DescribedTable[];
}

/** The API of this instance for an actor. Hidden names do not occur in it. */
export async function openApiDocument({ rowhouse, request, actor }: Visit<"instance">): Promise<OpenApi> {
  const databases = await catalogueFor(rowhouse, actor);
  const described = await describedDatabases(databases, new TimeSlices(request));
  const dashboards = { maySave: await maySaveDashboards(rowhouse, actor) };
  const common = {
    Error: errorSchema(isOn(rowhouse, "uniform_errors")),
    ...schemas,
    ...commonBodies(databases.map(({ reordersColumns }) => reordersColumns)),
  };
  return {
    openapi: "3.1.0",
    info: info(rowhouse),
    servers: [{ url: rowhouse.urls.absolute(request, rowhouse.urls.path("/")).replace(/\/$/, "") }],
    security: security(rowhouse),
    tags: [
      { name: INSTANCE, description: "The server itself" },
      ...databases.map(({ name }) => ({ name, description: `The database ${name}` })),
    ],
    paths: { [Symbol.iterator]: () => pathItems(endpointGroups(rowhouse, described, dashboards)) },
    components: {
      schemas: { [Symbol.iterator]: () => allSchemas(common, described) },
      parameters: parameterComponents,
      responses,
      securitySchemes: securitySchemes(rowhouse),
    },
  };
}

async function describedDatabases(
  databases: readonly VisibleDatabase[],
  slices: TimeSlices,
): Promise<readonly DescribedDatabase[]> {
  const names = new UniqueNames();
  const described: DescribedDatabase[] = [];
  for (const database of databases) {
    const tables: DescribedTable[] = [];
    for (const seen of database.tables) {
      tables.push(describedTable(database, seen, names));
      if (slices.isOver) await slices.next();
    }
    described.push({ database, tables });
  }
  return described;
}

function* allSchemas(
  common: Readonly<Record<string, JsonSchema>>,
  databases: readonly DescribedDatabase[],
): Generator<[name: string, schema: JsonSchema]> {
  yield* Object.entries(common);
  for (const { tables } of databases) {
    for (const table of tables) yield* Object.entries(tableSchemas(table));
  }
}

const INSTANCE = "instance";

function info(rowhouse: Rowhouse): OpenApi["info"] {
  const { title, description } = rowhouse.serviceIfAny("metadata")?.current().document ?? {};
  return {
    title: typeof title === "string" ? title : "Rowhouse",
    ...(typeof description === "string" && { description }),
    version: rowhouse.version,
  };
}

/** Schema names may contain only letters, digits, `.`, `-` and `_`. */
function describedTable(
  { name, mayRunSql, reordersColumns }: VisibleDatabase,
  seen: VisibleTable,
  names: UniqueNames,
): DescribedTable {
  const row = names.take(`row_${identifier(name, seen.table.name)}`);
  const ref = (kind: string): Reference => schemaRef(row.replace(/^row/, kind));
  const rows: WrittenRows = { added: ref("new"), changes: ref("changes"), keyed: ref("keyed") };
  const columns = row.replace(/^row/, "columns");
  return { database: name, seen, row, columns, rows, mayRunSql, reordersColumns };
}

/** All endpoints, those of a path in one group. */
function* endpointGroups(
  rowhouse: Rowhouse,
  databases: readonly DescribedDatabase[],
  dashboards: DashboardRights,
): Generator<readonly Endpoint[]> {
  const routes = new Set(rowhouse.routes.map(({ name }) => name));
  yield [...instanceEndpoints(rowhouse), ...dashboardEndpoints(routes, dashboards)];
  for (const described of databases) yield* databaseEndpoints(rowhouse, routes, described);
}

function* databaseEndpoints(
  rowhouse: Rowhouse,
  routes: ReadonlySet<string>,
  { database, tables }: DescribedDatabase,
): Generator<readonly Endpoint[]> {
  const headers = rowhouse.settings.has("idempotency_key_hours") ? references(writeHeaders) : [];
  const here: WriteSupport = { routes, headers };
  const formats = new Set(rowhouse.renderers.keys());
  yield [
    databaseEndpoint(database),
    ...databaseWriteEndpoints(database, here),
    ...targetEndpoints(database, routes),
  ];
  for (const table of tables) {
    yield [
      ...tableEndpoints(table, formats, groupParameters(routes)),
      ...lookupEndpoints(table, routes),
      ...savedViewEndpoints(table, routes),
      ...writeEndpoints(table, here),
      ...suggestionEndpoints(table, routes),
    ];
  }
  // At the path of a table, a query of the same name is never run.
  const names = new Set(tables.map(({ seen }) => seen.table.name));
  const queries = database.queries.filter(({ name }) => !names.has(name));
  yield queries.map((query) => queryEndpoint(rowhouse.database(database.name), query));
}

function tableSchemas({ seen, row, columns }: DescribedTable): Readonly<Record<string, JsonSchema>> {
  const { table, actions } = seen;
  const name = (kind: string): string => row.replace(/^row/, kind);
  const shown = table.columns.filter(({ hidden }) => !hidden).map((column) => column.name);
  const read = { [row]: rowSchema(table), [columns]: columnNames(shown) };
  if (!WRITING.some((action) => actions.has(action))) return read;
  return {
    ...read,
    [name("new")]: newRowSchema(table),
    [name("changes")]: changesSchema(table),
    [name("keyed")]: keyedRowSchema(table),
  };
}

const WRITING = ["insert-row", "update-row"] as const;

const columnNames = (names: readonly string[]): JsonSchema => ({
  type: "string",
  ...(names.length > 0 && { enum: names }),
});

/** The operations of each path; each operation has a unique id. */
function* pathItems(groups: Iterable<readonly Endpoint[]>): Generator<[path: string, item: PathItem]> {
  const ids = new UniqueNames();
  for (const endpoints of groups) {
    const items = new Map<string, PathItem>();
    for (const { path, method, operation } of endpoints) {
      const operationId = ids.take(operation.operationId);
      items.set(path, { ...items.get(path), [method]: { ...operation, operationId } });
    }
    yield* items;
  }
}

/** The document as JSON, path by path and schema by schema. */
export function* documentPieces({ paths, components, ...head }: OpenApi): Generator<string> {
  yield `${jsonText(head).slice(0, -1)}, "paths": `;
  yield* memberPieces(paths);
  yield ', "components": {"schemas": ';
  const { schemas: all, ...others } = components;
  yield* memberPieces(all);
  yield `, ${jsonText(others).slice(1)}}`;
}

function* memberPieces(members: Iterable<readonly [string, unknown]>): Generator<string> {
  let before = "{";
  for (const [name, value] of members) {
    yield `${before}${jsonString(name)}: ${jsonText(value)}`;
    before = ", ";
  }
  yield before === "{" ? "{}" : "}";
}

/** The value of a setting; false if its plugin is switched off. */
const isOn = (rowhouse: Rowhouse, setting: string): boolean => rowhouse.settings.get(setting)?.value === true;

const takesTokens = (rowhouse: Rowhouse): boolean =>
  rowhouse.serviceIfAny("tokens") !== null && rowhouse.settings.get("allow_signed_tokens")?.value !== false;

const tokenDescription = (rowhouse: Rowhouse): string =>
  isOn(rowhouse, "refuse_invalid_tokens")
    ? "An API token, made at /-/create-token. A request with an invalid token gets 401"
    : "An API token, made at /-/create-token";

const takesCookies = (rowhouse: Rowhouse): boolean => rowhouse.serviceIfAny("sessions") !== null;

/** The ways to authenticate that are switched on. */
const securitySchemes = (rowhouse: Rowhouse): Readonly<Record<string, JsonSchema>> => ({
  ...(takesTokens(rowhouse) && {
    token: { type: "http", scheme: "bearer", description: tokenDescription(rowhouse) },
  }),
  ...(takesCookies(rowhouse) && {
    cookie: { type: "apiKey", in: "cookie", name: "rowhouse_actor", description: "A signed-in browser" },
  }),
});

/** Any of them, or none: anonymous clients may have permissions too. */
const security = (rowhouse: Rowhouse): OpenApi["security"] => [
  {},
  ...Object.keys(securitySchemes(rowhouse)).map((name) => ({ [name]: [] })),
];
