import {
  getEndpoint,
  jsonContent,
  parameterRef,
  parameterRefs,
  queryArgument,
  schemaRef,
  type ApiDescription,
  type JsonSchema,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };

const parameters = {
  q: queryArgument("q", "What is typed"),
  completions: queryArgument("_size", "Most matches, at most 100", { type: "integer", minimum: 0 }),
};

const document: JsonSchema = {
  type: "object",
  properties: {
    ok: { const: true },
    label_column: { type: ["string", "null"] },
    column: TEXT,
    rows: {
      type: "array",
      items: {
        type: "object",
        properties: { pks: { type: "object" }, path: { type: ["string", "null"] }, label: {}, value: {} },
      },
    },
    complete: { type: "boolean", description: "False if there was no time to look at every row" },
  },
  required: ["ok", "rows", "complete"],
};

/** The endpoint that completes typed text. */
export const api: ApiDescription = {
  parameters,
  schemas: () => ({ AutocompleteDocument: document }),
  table: (described) => [
    getEndpoint(described, "/-/autocomplete.json", {
      id: "autocomplete",
      summary: `Rows of ${described.table.name} by what is typed of their labels`,
      parameters: [
        ...parameterRefs(parameters),
        queryArgument(
          "column",
          "Values of this column instead of rows",
          schemaRef(described.schemaName("columns")),
        ),
        parameterRef("filters"),
      ],
      reply: {
        description: "Keys with labels, or values",
        content: jsonContent(schemaRef("AutocompleteDocument")),
      },
    }),
  ],
};
