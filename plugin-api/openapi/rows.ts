import {
  jsonContent,
  queryArgument,
  schemaRef,
  type JsonSchema,
  type Parameter,
  type Reference,
  type Response,
} from "./document.js";

const ON: JsonSchema = { type: "string", enum: ["on"] };
const COUNT: JsonSchema = { type: "integer", minimum: 0 };

/** The arguments of every document with rows, by the name of their component. */
export const rowArguments: Readonly<Record<string, Parameter>> = {
  shape: queryArgument("_shape", "How rows appear", {
    type: "string",
    enum: ["arrays", "objects", "array", "arrayfirst", "object"],
    default: "arrays",
  }),
  nl: queryArgument("_nl", "With _shape=array: one object a line", ON),
  extra: queryArgument("_extra", "The small document, with the keys named here: extras lists them"),
  json: queryArgument("_json", "Columns whose text is JSON", { type: "array", items: { type: "string" } }),
  jsonInfinity: queryArgument("_json_infinity", "Infinities as the word Infinity, which is not JSON", {
    type: "string",
    enum: ["on", "off"],
  }),
  bigint: queryArgument("_bigint", "Integers beyond 2^53 as text", { type: "string", enum: ["text"] }),
  ttl: queryArgument("_ttl", "Seconds that caches may keep the answer", COUNT),
  timelimit: queryArgument(
    "_timelimit",
    "Milliseconds that the query may take, at most the server's own limit",
    COUNT,
  ),
};

/** The arguments of documents with rows that can be streamed, by the name of their component. */
export const streamedRowArguments: Readonly<Record<string, Parameter>> = {
  ...rowArguments,
  stream: queryArgument("_stream", "With _shape=array&_nl=on: every row, page limits aside", ON),
};

/**
 * A reply with rows: the document, or only the rows, as JSON or as lines.
 *
 * @param document the name of its schema
 * @param row the schema of a row
 * @example
 * rowsReply("The rows", "QueryDocument", { type: "object" }).description; // "The rows"
 */
export const rowsReply = (description: string, document: string, row: JsonSchema | Reference): Response => ({
  description,
  content: {
    ...jsonContent({ anyOf: [schemaRef(document), { type: "array", items: row }, { type: "object" }] }),
    "text/plain": { schema: { type: "string", description: "With _nl=on: one object a line" } },
  },
});
