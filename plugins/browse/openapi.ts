import {
  getEndpoint,
  jsonContent,
  schemaRef,
  type ApiDescription,
  type JsonSchema,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const OBJECTS = { type: "array", items: { type: "object" } };

const document: JsonSchema = {
  type: "object",
  properties: {
    database: TEXT,
    private: BOOLEAN,
    path: TEXT,
    size: { type: "integer" },
    tables: OBJECTS,
    hidden_count: { type: "integer" },
    views: OBJECTS,
    queries: OBJECTS,
    allow_execute_sql: BOOLEAN,
    table_columns: { type: "object" },
    query_ms: { type: "number" },
  },
  required: ["database", "tables"],
};

/** The lists of databases, and of what is in each. */
export const api: ApiDescription = {
  schemas: () => ({ DatabaseDocument: document }),
  instance: (instance) => [
    getEndpoint(instance, "/.json", {
      id: "index",
      summary: "Databases, with some of their tables",
      reply: { description: "The databases by name", content: jsonContent({ type: "object" }) },
    }),
  ],
  database: (database) => [
    getEndpoint(database, ".json", {
      id: "database",
      summary: `What is in ${database.database.name}`,
      reply: {
        description: "Tables, views and queries",
        content: jsonContent(schemaRef("DatabaseDocument")),
      },
    }),
  ],
};
