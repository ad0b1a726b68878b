import { parameterRef, parameterRefs, queryArgument, type ApiDescription } from "rowhouse/plugin-api/openapi";

const TEXTS = { type: "array", items: { type: "string" } };

const parameters = {
  where: queryArgument("_where", "A condition in SQL", TEXTS),
  through: queryArgument(
    "_through",
    'Rows that a row of another table references: `{"table": "loans", "column": "member", "value": "7"}`',
    TEXTS,
  ),
};

/** The arguments for conditions beyond filters of columns. */
export const api: ApiDescription = {
  actions: ["execute-sql"],
  parameters,
  rowParameters: ({ may }) => (may("execute-sql") ? parameterRefs(parameters) : [parameterRef("through")]),
};
