import { keyColumns } from "rowhouse/plugin-api/engine";
import {
  documentReply,
  postEndpoint,
  schemaRef,
  type DescribedTable,
  type Endpoint,
} from "rowhouse/plugin-api/openapi";
import { body, TEXT } from "./common.js";

const KEYS = body(
  {
    keys: {
      type: "array",
      description: "The key of each row: a value, or a list with a value for each column of the key",
      items: { type: ["string", "number", "array"] },
    },
  },
  { required: ["keys"] },
);

/** The endpoint that reads rows with their versions. */
export function rowsByKeyEndpoints(described: DescribedTable): readonly Endpoint[] {
  const { table, schemaName } = described;
  if (keyColumns(table).length === 0) return [];
  const found = {
    type: "object",
    properties: { version: TEXT, row: schemaRef(schemaName("row")) },
    required: ["version", "row"],
  };
  return [
    postEndpoint(described, "/-/rows", {
      id: "rows_by_key",
      summary: `Rows of ${table.name} by their keys, each with its version`,
      body: KEYS,
      reply: documentReply("The rows in the order of the keys; null for those that do not exist", {
        rows: { type: "array", items: { anyOf: [found, { type: "null" }] } },
      }),
    }),
  ];
}
