import { keyColumns } from "rowhouse/plugin-api/engine";
import { identifier } from "./names.js";
import {
  jsonContent,
  parameterRef,
  schemaRef,
  type Endpoint,
  type Parameter,
  type Reference,
} from "./openapi.js";
import { autocompleteArguments, groupArguments } from "./parameters.js";
import { failures, references, resourcePath, type DescribedTable } from "./read-endpoints.js";

/** The arguments by which rows are grouped; none if no plugin reads them. */
export const groupParameters = (routes: ReadonlySet<string>): readonly Reference[] =>
  routes.has("groups") ? references(groupArguments) : [];

/** The endpoints that complete typed text, and that read rows by their keys; those that plugins have. */
export const lookupEndpoints = (
  described: DescribedTable,
  routes: ReadonlySet<string>,
): readonly Endpoint[] => [
  ...(routes.has("autocomplete") ? [completion(described)] : []),
  ...(routes.has("row-versions") && keyColumns(described.seen.table).length > 0
    ? [rowsByKey(described)]
    : []),
];

function completion({ database, seen, columns }: DescribedTable): Endpoint {
  const { name } = seen.table;
  const column: Parameter = {
    name: "column",
    in: "query",
    description: "Values of this column instead of rows",
    schema: { ...schemaRef(columns) },
  };
  return {
    path: `${resourcePath(database, name)}/-/autocomplete.json`,
    method: "get",
    operation: {
      operationId: identifier(database, name, "autocomplete"),
      summary: `Rows of ${name} by what is typed of their labels`,
      tags: [database],
      parameters: [...references(autocompleteArguments), column, parameterRef("filters")],
      responses: {
        "200": {
          description: "Keys with labels, or values",
          content: jsonContent(schemaRef("AutocompleteDocument")),
        },
        ...failures,
      },
    },
  };
}

const KEYS = {
  type: "object",
  properties: {
    keys: {
      type: "array",
      description: "The key of each row: a value, or a list with a value for each column of the key",
      items: { type: ["string", "number", "array"] },
    },
  },
  required: ["keys"],
  additionalProperties: false,
};

function rowsByKey({ database, seen, row }: DescribedTable): Endpoint {
  const { name } = seen.table;
  const found = {
    type: "object",
    properties: { version: { type: "string" }, row: schemaRef(row) },
    required: ["version", "row"],
  };
  const rows = { type: "array", items: { anyOf: [found, { type: "null" }] } };
  const document = { type: "object", properties: { ok: { const: true }, rows }, required: ["ok", "rows"] };
  return {
    path: `${resourcePath(database, name)}/-/rows`,
    method: "post",
    operation: {
      operationId: identifier(database, name, "rows_by_key"),
      summary: `Rows of ${name} by their keys, each with its version`,
      tags: [database],
      parameters: [],
      requestBody: { required: true, content: jsonContent(KEYS) },
      responses: {
        "200": {
          description: "The rows in the order of the keys; null for those that do not exist",
          content: jsonContent(document),
        },
        ...failures,
      },
    },
  };
}
