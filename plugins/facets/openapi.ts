import {
  parameterRefs,
  queryArgument,
  schemaRef,
  type ApiDescription,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const ON = { type: "string", enum: ["on"] };
const TEXTS = { type: "array", items: { type: "string" } };

const parameters: Readonly<Record<string, Parameter>> = {
  facetArray: queryArgument("_facet_array", "Columns of JSON lists whose elements are to be counted", TEXTS),
  facetDate: queryArgument("_facet_date", "Columns of timestamps whose days are to be counted", TEXTS),
  facetSize: queryArgument("_facet_size", "Values of a facet, or max", {
    anyOf: [{ type: "integer", minimum: 0 }, { const: "max" }],
  }),
  nofacet: queryArgument("_nofacet", "Leave out facets", ON),
  nosuggest: queryArgument("_nosuggest", "Suggest no facets", ON),
};

/** The arguments that count values. */
export const api: ApiDescription = {
  parameters,
  documentParameters: ({ schemaName }) => [
    queryArgument("_facet", "Columns whose values are to be counted", {
      type: "array",
      items: schemaRef(schemaName("columns")),
    }),
    ...parameterRefs(parameters),
  ],
};
