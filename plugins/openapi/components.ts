import {
  jsonContent,
  schemaRef,
  streamedRowArguments,
  type JsonSchema,
  type Parameter,
  type Response,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };

/** The schema of errors. @param isUniform the value of the setting `uniform_errors` */
export const errorSchema = (isUniform: boolean): JsonSchema => ({
  type: "object",
  description: "What went wrong",
  properties: {
    ok: { const: false },
    error: TEXT,
    errors: { type: "array", items: TEXT },
    status: { type: "integer" },
    title: { type: ["string", "null"] },
  },
  required: isUniform ? ["ok", "error", "errors", "status"] : ["ok"],
});

/** The schemas that the endpoints of several plugins use. */
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
  Statement: {
    type: "object",
    properties: { sql: TEXT, params: { type: "object" } },
    required: ["sql", "params"],
  },
};

/** The parameters that the endpoints of several plugins use. */
export const parameters: Readonly<Record<string, Parameter>> = streamedRowArguments;

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
