import { parameterRefs, queryArgument, type ApiDescription } from "rowhouse/plugin-api/openapi";

const parameters = { search: queryArgument("_search", "Words to look for") };

/** The argument that searches tables with a full-text index. */
export const api: ApiDescription = {
  parameters,
  rowParameters: ({ table }) => (table.fullText === null ? [] : parameterRefs(parameters)),
};
