import { documentReply, getEndpoint, type ApiDescription } from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const BOOLEAN = { type: "boolean" };

/** The tables of a database with their columns and foreign keys. */
export const api: ApiDescription = {
  database: (described) => [
    getEndpoint(described, "/-/diagram.json", {
      id: "diagram",
      summary: `Tables of ${described.database.name} with their columns and foreign keys`,
      reply: documentReply("The tables, related ones first", {
        database: TEXT,
        tables: { type: "array", items: TABLE },
        truncated: BOOLEAN,
      }),
    }),
  ],
};

const COLUMN = {
  type: "object",
  properties: { name: TEXT, type: TEXT, primary_key: BOOLEAN, not_null: BOOLEAN },
};

const FOREIGN_KEY = {
  type: "object",
  properties: { columns: TEXTS, other_table: TEXT, other_columns: TEXTS },
};

const TABLE = {
  type: "object",
  properties: {
    name: TEXT,
    path: TEXT,
    columns: { type: "array", items: COLUMN },
    foreign_keys: { type: "array", items: FOREIGN_KEY },
  },
};
