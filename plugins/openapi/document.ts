import { jsonText, type Awaitable, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { jsonString } from "rowhouse/plugin-api/json";
import type {
  ApiDescription,
  DescribedDatabase,
  DescribedTable,
  Endpoint,
  JsonSchema,
} from "rowhouse/plugin-api/openapi";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { errorSchema, parameters, responses, schemas } from "./components.js";
import { describedDatabases, describedInstance, INSTANCE, type Describing } from "./described.js";
import { pathItems, type PathItem } from "./path-items.js";
import { rowSchema } from "./row-schemas.js";
import { documentTables, omittedNote, scopeOf, type DocumentTables, type Scope } from "./scope.js";
import { UniqueComponents } from "./unique-components.js";

/**
 * Paths and schemas are made while they are iterated, again by each iteration: those of thousands of tables would fill the
 * memory, and the pauses in which V8 collects garbage become longer with it.
 */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly description?: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Iterable<readonly [path: string, item: PathItem]>;
  readonly components: {
    readonly schemas: Iterable<readonly [name: string, schema: JsonSchema]>;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

/** What the document is made of. */
interface Contents extends DocumentTables {
  readonly descriptions: readonly ApiDescription[];
  /** None in the document of a database. */
  readonly instance: readonly Endpoint[];
  readonly databases: readonly DescribedDatabase[];
  /** Of each database. */
  readonly endpoints: ReadonlyMap<DescribedDatabase, readonly Endpoint[]>;
}

/**
 * The API of this instance or of a database, for an actor. Hidden names do not occur in it.
 *
 * @throws BadRequest for tables that do not exist
 */
export async function openApiDocument(visit: Visit<"instance" | "database">): Promise<OpenApi> {
  const { rowhouse, request, actor } = visit;
  const scope = scopeOf(visit);
  const descriptions = await rowhouse.hooks.describe_api.promise([], rowhouse, {});
  const describing = { rowhouse, actor, descriptions, slices: new TimeSlices(request) };
  const contents = await contentsOf(describing, scope);
  const securitySchemes = joined(
    new UniqueComponents(rowhouse, "security scheme"),
    descriptions.map((one) => [one, one.securitySchemes?.(rowhouse)] as const),
  );
  return {
    openapi: "3.1.0",
    info: info(rowhouse, scope, contents.omitted),
    servers: [{ url: rowhouse.urls.absolute(request, rowhouse.urls.path("/")).replace(/\/$/, "") }],
    // Any of them, or none: anonymous clients may have permissions too.
    security: [{}, ...Object.keys(securitySchemes).map((name) => ({ [name]: [] }))],
    tags: [
      ...(scope.database === null ? [{ name: INSTANCE, description: "The server itself" }] : []),
      // A database can have the name of the first section. Names of sections are unique.
      ...contents.databases
        .filter(({ tag }) => scope.database !== null || tag !== INSTANCE)
        .map(({ tag }) => ({ name: tag, description: `The database ${tag}` })),
    ],
    paths: { [Symbol.iterator]: () => pathItems(endpointGroups(contents)) },
    components: {
      schemas: { [Symbol.iterator]: () => allSchemas(rowhouse, contents) },
      parameters: joined(new UniqueComponents(rowhouse, "parameter"), [
        [null, parameters],
        ...descriptions.map((one) => [one, one.parameters] as const),
      ]),
      responses,
      securitySchemes,
    },
  };
}

async function contentsOf(describing: Describing, scope: Scope): Promise<Contents> {
  const { descriptions } = describing;
  const instance = scope.database === null ? await describedInstance(describing) : null;
  const databases = await describedDatabases(describing, scope);
  const endpoints = new Map<DescribedDatabase, readonly Endpoint[]>();
  for (const database of databases)
    endpoints.set(database, await all(descriptions.map((one) => one.database?.(database))));
  return {
    descriptions,
    instance: instance === null ? [] : await all(descriptions.map((one) => one.instance?.(instance))),
    databases,
    endpoints,
    ...documentTables(scope, databases),
  };
}

const all = async (
  parts: readonly (Awaitable<readonly Endpoint[]> | undefined)[],
): Promise<readonly Endpoint[]> => (await Promise.all(parts)).flatMap((part) => part ?? []);

const joined = <Component>(
  names: UniqueComponents,
  parts: readonly (readonly [ApiDescription | null, Readonly<Record<string, Component>> | undefined])[],
): Readonly<Record<string, Component>> =>
  Object.fromEntries(parts.flatMap(([by, components = {}]) => [...names.take(components, by)]));

function info(rowhouse: Rowhouse, { database }: Scope, omitted: number): OpenApi["info"] {
  const metadata = currentMetadata(rowhouse);
  const { title } = metadata.document;
  const { description } = database === null ? metadata.document : metadata.database(database.name);
  const site = typeof title === "string" ? title : "Rowhouse";
  const texts = [
    ...(typeof description === "string" ? [description] : []),
    ...(omitted > 0 ? [omittedNote(omitted)] : []),
  ];
  return {
    title: database === null ? site : `${site}: ${database.name}`,
    ...(texts.length > 0 && { description: texts.join("\n\n") }),
    version: rowhouse.version,
  };
}

/** All endpoints. Those of a path are in one group. */
function* endpointGroups({
  descriptions,
  instance,
  databases,
  endpoints,
  tables,
}: Contents): Generator<readonly Endpoint[]> {
  yield instance;
  for (const database of databases) {
    yield endpoints.get(database) ?? [];
    for (const table of database.tables) {
      if (tables.has(table)) yield descriptions.flatMap((one) => one.table?.(table) ?? []);
    }
  }
}

function* allSchemas(
  rowhouse: Rowhouse,
  { descriptions, databases, tables }: Contents,
): Generator<[name: string, schema: JsonSchema]> {
  const isUniform = rowhouse.settings.get("uniform_errors")?.value === true;
  const names = new UniqueComponents(rowhouse, "schema");
  yield* names.take({ Error: errorSchema(isUniform), ...schemas }, null);
  for (const one of descriptions) yield* names.take(one.schemas?.(databases) ?? {}, one);
  for (const table of tables) yield* tableSchemas(names, descriptions, table);
}

function* tableSchemas(
  names: UniqueComponents,
  descriptions: readonly ApiDescription[],
  described: DescribedTable,
): Generator<[name: string, schema: JsonSchema]> {
  const { table, schemaName } = described;
  const shown = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const own = {
    [schemaName("row")]: rowSchema(table),
    [schemaName("columns")]: { type: "string", ...(shown.length > 0 && { enum: shown }) },
  };
  yield* names.take(own, null);
  for (const one of descriptions) {
    const further = Object.entries(one.tableSchemas?.(described) ?? {});
    yield* names.take(Object.fromEntries(further.map(([kind, schema]) => [schemaName(kind), schema])), one);
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
