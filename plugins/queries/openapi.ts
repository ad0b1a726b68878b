import { tildeEncode } from "rowhouse/plugin-api/http";
import type { CannedQuery } from "rowhouse/plugin-api/contracts";
import {
  getEndpoint,
  jsonContent,
  parameterRefs,
  postEndpoint,
  queryArgument,
  rowsReply,
  schemaRef,
  streamedRowArguments,
  type ApiDescription,
  type DescribedDatabase,
  type Endpoint,
  type JsonSchema,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };

const schemas: Readonly<Record<string, JsonSchema>> = {
  QueryDocument: {
    type: "object",
    properties: {
      ok: BOOLEAN,
      database: TEXT,
      query_name: { type: ["string", "null"] },
      rows: { type: "array" },
      truncated: BOOLEAN,
      columns: { type: "array", items: TEXT },
      query: schemaRef("Statement"),
      error: { type: ["string", "null"] },
      private: BOOLEAN,
      allow_execute_sql: BOOLEAN,
      query_ms: { type: "number" },
    },
    required: ["rows", "truncated"],
  },
  QueryRun: {
    type: "object",
    description: "How a query that writes went",
    properties: { ok: BOOLEAN, message: TEXT, redirect: { type: ["string", "null"] } },
    required: ["ok", "message"],
  },
};

/** Canned queries, and SQL of the client. */
export const api: ApiDescription = {
  actions: ["execute-sql"],
  schemas: () => schemas,
  database: (database) => [
    ...(database.may("execute-sql") ? [sqlEndpoint(database)] : []),
    ...database.queries.map((query) => queryEndpoint(database, query)),
  ],
};

const bindings: Parameter = {
  name: "_bindings",
  in: "query",
  description: "Values of the parameters in the SQL. Sent as arguments of these names.",
  style: "form",
  explode: true,
  schema: { type: "object", additionalProperties: TEXT },
};

/** The same path without `sql` is the document of the database, which takes no arguments. */
const sqlEndpoint = (database: DescribedDatabase): Endpoint =>
  getEndpoint(database, ".json", {
    id: "database",
    summary: "With sql, the result of the statement",
    parameters: [queryArgument("sql", "One SELECT"), bindings, ...parameterRefs(streamedRowArguments)],
    reply: rowsReply("The rows", "QueryDocument", { type: "object" }),
  });

/** GET reads, POST runs a query that writes. */
function queryEndpoint(database: DescribedDatabase, query: CannedQuery): Endpoint {
  const { dialect } = database.database;
  const inSql = dialect.parameters(query.sql).map((text) => text.slice(1));
  // The parameter `?` has no name, so no request can pass it.
  const names = [...new Set(query.params ?? inSql)].filter((name) => name !== "" && !name.startsWith("_"));
  const { title, description } = query;
  const described = { ...database, names: [...database.names, query.name] };
  const path = `/${tildeEncode(query.name)}`;
  const texts = {
    summary: typeof title === "string" ? title : query.name,
    ...(typeof description === "string" && { description }),
  };
  if (query.write === true)
    return postEndpoint(described, path, {
      id: "run",
      ...texts,
      parameters: [jsonWanted],
      body: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, {}])),
        required: names,
      },
      reply: { description: "How it went", content: jsonContent(schemaRef("QueryRun")) },
    });
  return getEndpoint(described, `${path}.json`, {
    id: "query",
    ...texts,
    parameters: [
      ...names.map((name): Parameter => ({ name, in: "query", schema: TEXT })),
      ...parameterRefs(streamedRowArguments),
    ],
    reply: rowsReply("The rows", "QueryDocument", { type: "object" }),
  });
}

const jsonWanted: Parameter = {
  ...queryArgument("_json", "Asks for an answer in JSON", { type: "string", enum: ["1"] }),
  required: true,
};
