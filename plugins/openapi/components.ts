import { dashboardSchemas } from "./dashboard-endpoints.js";
import { savedViewSchemas } from "./saved-view-endpoints.js";
import { jsonContent, schemaRef, type JsonSchema, type Response } from "./openapi.js";

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const INTEGER = { type: "integer" };
const NULL_OR_TEXT = { type: ["string", "null"] };
const NULL_OR_INTEGER = { type: ["integer", "null"] };
const LIST = { type: "array" };
const TEXTS = { type: "array", items: TEXT };
const OBJECT = { type: "object" };

const STATEMENT = { type: "object", properties: { sql: TEXT, params: OBJECT }, required: ["sql", "params"] };

const ERROR = {
  type: "object",
  description: "What went wrong",
  properties: { ok: { const: false }, error: TEXT, errors: TEXTS, status: INTEGER, title: NULL_OR_TEXT },
};

/** The schema of errors. @param isUniform the value of the setting `uniform_errors` */
export const errorSchema = (isUniform: boolean): JsonSchema => ({
  ...ERROR,
  required: isUniform ? ["ok", "error", "errors", "status"] : ["ok"],
});

/** Schemas that are the same for all databases. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Blob: {
    type: "object",
    description: "Bytes that are no text",
    properties: { $base64: { const: true }, encoded: { type: "string", contentEncoding: "base64" } },
    required: ["$base64", "encoded"],
  },
  Labelled: {
    type: "object",
    description: "A foreign key with the label of what it points at",
    properties: { value: {}, label: {} },
    required: ["value", "label"],
  },
  Statement: STATEMENT,
  TableDocument: {
    type: "object",
    properties: {
      database: TEXT,
      table: TEXT,
      is_view: BOOLEAN,
      human_description_en: TEXT,
      rows: LIST,
      truncated: BOOLEAN,
      filtered_table_rows_count: NULL_OR_INTEGER,
      filtered_table_rows_count_estimated: BOOLEAN,
      filtered_table_rows_count_pending: BOOLEAN,
      expanded_columns: TEXTS,
      expandable_columns: LIST,
      columns: TEXTS,
      primary_keys: TEXTS,
      units: OBJECT,
      query: schemaRef("Statement"),
      facet_results: OBJECT,
      suggested_facets: { type: "array", items: OBJECT },
      next: NULL_OR_TEXT,
      next_url: NULL_OR_TEXT,
      private: BOOLEAN,
      allow_execute_sql: BOOLEAN,
      query_ms: { type: "number" },
    },
    required: ["rows", "truncated"],
  },
  RowDocument: {
    type: "object",
    properties: {
      database: TEXT,
      table: TEXT,
      rows: LIST,
      columns: TEXTS,
      primary_keys: TEXTS,
      primary_key_values: TEXTS,
      units: OBJECT,
      query_ms: { type: "number" },
    },
    required: ["rows"],
  },
  QueryDocument: {
    type: "object",
    properties: {
      ok: BOOLEAN,
      database: TEXT,
      query_name: NULL_OR_TEXT,
      rows: LIST,
      truncated: BOOLEAN,
      columns: TEXTS,
      query: schemaRef("Statement"),
      error: NULL_OR_TEXT,
      private: BOOLEAN,
      allow_execute_sql: BOOLEAN,
      query_ms: { type: "number" },
    },
    required: ["rows", "truncated"],
  },
  DatabaseDocument: {
    type: "object",
    properties: {
      database: TEXT,
      private: BOOLEAN,
      path: TEXT,
      size: INTEGER,
      tables: { type: "array", items: OBJECT },
      hidden_count: INTEGER,
      views: { type: "array", items: OBJECT },
      queries: { type: "array", items: OBJECT },
      allow_execute_sql: BOOLEAN,
      table_columns: OBJECT,
      query_ms: { type: "number" },
    },
    required: ["database", "tables"],
  },
  AutocompleteDocument: {
    type: "object",
    properties: {
      ok: { const: true },
      label_column: NULL_OR_TEXT,
      column: TEXT,
      rows: {
        type: "array",
        items: {
          type: "object",
          properties: { pks: OBJECT, path: NULL_OR_TEXT, label: {}, value: {} },
        },
      },
      complete: { type: "boolean", description: "False if there was no time to look at every row" },
    },
    required: ["ok", "rows", "complete"],
  },
  ...savedViewSchemas,
  ...dashboardSchemas,
  Done: {
    type: "object",
    description: "It is done",
    properties: { ok: { const: true }, rows: LIST, row: OBJECT, row_count: INTEGER },
    required: ["ok"],
  },
  QueryRun: {
    type: "object",
    description: "How a query that writes went",
    properties: { ok: BOOLEAN, message: TEXT, redirect: NULL_OR_TEXT },
    required: ["ok", "message"],
  },
};

const failure = (description: string): Response => ({
  description,
  content: jsonContent(schemaRef("Error")),
});

/** Replies that every endpoint may return. */
export const responses: Readonly<Record<string, Response>> = {
  BadRequest: failure("An argument makes no sense, or the statement failed"),
  Forbidden: failure("You may not"),
  NotFound: failure("There is no such thing"),
};
