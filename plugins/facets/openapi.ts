import {
  identifier,
  parameterRefs,
  queryArgument,
  schemaRef,
  type ApiDescription,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const ON = { type: "string", enum: ["on"] };
const TEXTS = { type: "array", items: { type: "string" } };

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ["array", "Columns of JSON lists whose elements are to be counted"],
  ["date", "Columns of timestamps whose days are to be counted"],
]);

/** The arguments that count values. @param types of the facets that plugins register */
export function facetsApi(types: readonly string[]): ApiDescription {
  const parameters: Readonly<Record<string, Parameter>> = {
    ...Object.fromEntries(types.filter((type) => type !== "column").map(ofType)),
    facetSize: queryArgument("_facet_size", "Values of a facet, or max", {
      anyOf: [{ type: "integer", minimum: 0 }, { const: "max" }],
    }),
    nofacet: queryArgument("_nofacet", "Leave out facets", ON),
    nosuggest: queryArgument("_nosuggest", "Suggest no facets", ON),
  };
  return {
    parameters,
    documentParameters: ({ schemaName }) => [
      queryArgument("_facet", "Columns whose values are to be counted", {
        type: "array",
        items: schemaRef(schemaName("columns")),
      }),
      ...parameterRefs(parameters),
    ],
  };
}

/** The name of a parameter in the document, and the parameter. */
const ofType = (type: string): readonly [string, Parameter] => [
  identifier("facet", type),
  queryArgument(`_facet_${type}`, DESCRIPTIONS.get(type) ?? `Columns for facets of the type ${type}`, TEXTS),
];
