import type { Rowhouse, Visit } from "rowhouse/plugin-api";
import { catalogueFor } from "./catalogue.js";
import type { VisibleDatabase } from "./catalogue.js";
import { responses, schemas } from "./components.js";
import { instanceEndpoints } from "./instance-endpoints.js";
import { UniqueNames, identifier } from "./names.js";
import { schemaRef } from "./openapi.js";
import type { Endpoint, JsonSchema, OpenApi, Reference } from "./openapi.js";
import { parameterComponents, writeHeaders } from "./parameters.js";
import { databaseEndpoint, queryEndpoint } from "./query-endpoints.js";
import { references, tableEndpoints } from "./read-endpoints.js";
import type { DescribedTable } from "./read-endpoints.js";
import { changesSchema, keyedRowSchema, newRowSchema, rowSchema } from "./row-schemas.js";
import { commonBodies } from "./table-writes.js";
import type { WrittenRows } from "./table-writes.js";
import { databaseWriteEndpoints, writeEndpoints } from "./write-endpoints.js";
import type { WriteSupport } from "./write-endpoints.js";

/** The API of this instance for an actor. Hidden names do not occur in it. */
export async function openApiDocument({ rowhouse, request, actor }: Visit<"instance">): Promise<OpenApi> {
  const databases = await catalogueFor(rowhouse, actor);
  const names = new UniqueNames();
  const tables = databases.flatMap((database) => describedTables(database, names));
  const endpoints = [
    ...instanceEndpoints(rowhouse),
    ...databases.flatMap((database) => databaseEndpoints(rowhouse, database, tables)),
  ];
  return {
    openapi: "3.1.0",
    info: info(rowhouse),
    servers: [{ url: rowhouse.urls.absolute(request, rowhouse.urls.path("/")).replace(/\/$/, "") }],
    security: security(rowhouse),
    tags: [
      { name: INSTANCE, description: "The server itself" },
      ...databases.map(({ name }) => ({ name, description: `The database ${name}` })),
    ],
    paths: pathsOf(endpoints),
    components: {
      schemas: { ...schemas, ...commonBodies, ...tableSchemas(tables) },
      parameters: parameterComponents,
      responses,
      securitySchemes: securitySchemes(rowhouse),
    },
  };
}

export const INSTANCE = "instance";

function info(rowhouse: Rowhouse): OpenApi["info"] {
  const { title, description } = rowhouse.serviceIfAny("metadata")?.current().document ?? {};
  return {
    title: typeof title === "string" ? title : "Rowhouse",
    ...(typeof description === "string" && { description }),
    version: rowhouse.version,
  };
}

/** Schema names may contain only letters, digits, `.`, `-` and `_`. */
const describedTables = ({ name, tables, mayRunSql }: VisibleDatabase, names: UniqueNames) =>
  tables.map((seen): DescribedTable => {
    const row = names.take(`row_${identifier(name, seen.table.name)}`);
    const ref = (kind: string): Reference => schemaRef(row.replace(/^row/, kind));
    const rows: WrittenRows = { added: ref("new"), changes: ref("changes"), keyed: ref("keyed") };
    return { database: name, seen, row, columns: row.replace(/^row/, "columns"), rows, mayRunSql };
  });

function databaseEndpoints(
  rowhouse: Rowhouse,
  database: VisibleDatabase,
  tables: readonly DescribedTable[],
): readonly Endpoint[] {
  const here: WriteSupport = {
    routes: new Set(rowhouse.routes.map(({ name }) => name)),
    headers: rowhouse.settings.has("idempotency_key_hours") ? references(writeHeaders) : [],
  };
  const formats = new Set(rowhouse.renderers.keys());
  const own = tables.filter((table) => table.database === database.name);
  return [
    databaseEndpoint(database),
    ...databaseWriteEndpoints(database, here),
    ...own.flatMap((table) => [...tableEndpoints(table, formats), ...writeEndpoints(table, here)]),
    ...database.queries.map((query) => queryEndpoint(database.name, query)),
  ];
}

function tableSchemas(tables: readonly DescribedTable[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    tables.flatMap(({ seen: { table, actions }, row, columns }) => {
      const name = (kind: string): string => row.replace(/^row/, kind);
      const shown = table.columns.filter(({ hidden }) => !hidden).map((column) => column.name);
      const read: [string, JsonSchema][] = [
        [row, rowSchema(table)],
        [columns, columnNames(shown)],
      ];
      if (!WRITING.some((action) => actions.has(action))) return read;
      return [
        ...read,
        [name("new"), newRowSchema(table)],
        [name("changes"), changesSchema(table)],
        [name("keyed"), keyedRowSchema(table)],
      ];
    }),
  );
}

const WRITING = ["insert-row", "update-row"] as const;

const columnNames = (names: readonly string[]): JsonSchema => ({
  type: "string",
  ...(names.length > 0 && { enum: names }),
});

/** Endpoints by path. Each operation has a unique id. */
function pathsOf(endpoints: readonly Endpoint[]): OpenApi["paths"] {
  const ids = new UniqueNames();
  const paths = new Map<string, OpenApi["paths"][string]>();
  for (const { path, method, operation } of endpoints) {
    const operationId = ids.take(operation.operationId);
    paths.set(path, { ...paths.get(path), [method]: { ...operation, operationId } });
  }
  return Object.fromEntries(paths);
}

const hasPlugin = ({ plugins }: Rowhouse, name: string): boolean =>
  plugins.some((plugin) => plugin.bundled && plugin.name === name);

const takesTokens = (rowhouse: Rowhouse): boolean =>
  rowhouse.serviceIfAny("tokens") !== null && rowhouse.settings.get("allow_signed_tokens")?.value !== false;

const takesCookies = (rowhouse: Rowhouse): boolean => hasPlugin(rowhouse, "actor-cookie");

/** The ways to authenticate that are switched on. */
export const securitySchemes = (rowhouse: Rowhouse): Readonly<Record<string, JsonSchema>> => ({
  ...(takesTokens(rowhouse) && {
    token: { type: "http", scheme: "bearer", description: "An API token, made at /-/create-token" },
  }),
  ...(takesCookies(rowhouse) && {
    cookie: { type: "apiKey", in: "cookie", name: "rowhouse_actor", description: "A signed-in browser" },
  }),
});

/** Any of them, or none: anonymous clients may have permissions too. */
export const security = (rowhouse: Rowhouse): OpenApi["security"] => [
  {},
  ...Object.keys(securitySchemes(rowhouse)).map((name) => ({ [name]: [] })),
];
