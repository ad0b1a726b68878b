import type { Database } from "rowhouse/plugin-api";
import type { CannedQuery } from "rowhouse/plugin-api/contracts";
import type { VisibleDatabase } from "./catalogue.js";
import { identifier } from "./names.js";
import { jsonContent, schemaRef, type Endpoint, type Parameter } from "./openapi.js";
import { rowArguments, streamArgument } from "./parameters.js";
import { databasePath, failures, references, resourcePath, rowsResponse } from "./read-endpoints.js";

/** The document of a database, and with `sql` the result of a statement. */
export function databaseEndpoint({ name, mayRunSql }: VisibleDatabase): Endpoint {
  const answer = rowsResponse("The rows", "QueryDocument", { type: "object" });
  const document = schemaRef("DatabaseDocument");
  return {
    path: `${databasePath(name)}.json`,
    method: "get",
    operation: {
      operationId: identifier(name, "database"),
      summary: mayRunSql ? `What is in ${name}, or the result of an SQL statement` : `What is in ${name}`,
      tags: [name],
      ...(mayRunSql && {
        parameters: [sqlArgument, bindings, ...references(rowArguments), ...references(streamArgument)],
      }),
      responses: {
        "200": mayRunSql
          ? {
              ...answer,
              content: {
                ...answer.content,
                ...jsonContent({ anyOf: [document, schemaRef("QueryDocument"), { type: "array" }] }),
              },
            }
          : { description: "Tables, views and queries", content: jsonContent(document) },
        ...failures,
      },
    },
  };
}

const sqlArgument: Parameter = {
  name: "sql",
  in: "query",
  description: "One SELECT",
  schema: { type: "string" },
};

const bindings: Parameter = {
  name: "_bindings",
  in: "query",
  description: "Values of the parameters in the SQL. Sent as arguments of these names.",
  style: "form",
  explode: true,
  schema: { type: "object", additionalProperties: { type: "string" } },
};

/** A canned query: GET reads, POST runs a query that writes. */
export function queryEndpoint({ name: database, dialect }: Database, query: CannedQuery): Endpoint {
  const inSql = [...new Set(dialect.parameters(query.sql).map((text) => text.slice(1)))];
  const names = (query.params ?? inSql).filter((name) => !name.startsWith("_"));
  const title = typeof query["title"] === "string" ? query["title"] : query.name;
  const description = typeof query["description"] === "string" ? { description: query["description"] } : {};
  const path = resourcePath(database, query.name);
  const common = { summary: title, ...description, tags: [database] };
  if (query.write === true) {
    return {
      path,
      method: "post",
      operation: {
        operationId: identifier(database, query.name, "run"),
        ...common,
        parameters: [jsonWanted],
        requestBody: { required: true, content: jsonContent(parametersSchema(names)) },
        responses: {
          "200": { description: "How it went", content: jsonContent(schemaRef("QueryRun")) },
          ...failures,
        },
      },
    };
  }
  return {
    path: `${path}.json`,
    method: "get",
    operation: {
      operationId: identifier(database, query.name, "query"),
      ...common,
      parameters: [
        ...names.map((name): Parameter => ({ name, in: "query", schema: { type: "string" } })),
        ...references(rowArguments),
        ...references(streamArgument),
      ],
      responses: { "200": rowsResponse("The rows", "QueryDocument", { type: "object" }), ...failures },
    },
  };
}

const jsonWanted: Parameter = {
  name: "_json",
  in: "query",
  required: true,
  description: "Asks for an answer in JSON",
  schema: { type: "string", enum: ["1"] },
};

const parametersSchema = (names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: names,
});
