import { identifier } from "./names.js";
import { jsonContent, parameterRef, schemaRef } from "./openapi.js";
import type { Endpoint, Parameter, Reference } from "./openapi.js";
import { autocompleteArguments, groupArguments } from "./parameters.js";
import { failures, references, resourcePath, type DescribedTable } from "./read-endpoints.js";

/** The arguments by which rows are grouped; none if no plugin reads them. */
export const groupParameters = (routes: ReadonlySet<string>): readonly Reference[] =>
  routes.has("groups") ? references(groupArguments) : [];

/** The endpoint that completes typed text; none if no plugin has it. */
export function lookupEndpoints(described: DescribedTable, routes: ReadonlySet<string>): readonly Endpoint[] {
  if (!routes.has("autocomplete")) return [];
  const { database, seen, columns } = described;
  const { name } = seen.table;
  const column: Parameter = {
    name: "column",
    in: "query",
    description: "Values of this column instead of rows",
    schema: { ...schemaRef(columns) },
  };
  return [
    {
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
    },
  ];
}
