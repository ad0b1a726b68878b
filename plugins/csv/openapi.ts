import {
  getEndpoint,
  parameterRefs,
  queryArgument,
  type ApiDescription,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const ON = { type: "string", enum: ["on"] };

const parameters: Readonly<Record<string, Parameter>> = {
  header: queryArgument("_header", "Without the line of names", { type: "string", enum: ["off"] }),
  dl: queryArgument("_dl", "As a file to be saved", ON),
  csvStream: queryArgument("_stream", "Every row, page limits aside", ON),
};

/** The rows of tables and views as CSV. */
export const api: ApiDescription = {
  parameters,
  table: (described) => [
    getEndpoint(described, ".csv", {
      id: "csv",
      summary: `Rows of the ${described.table.kind === "view" ? "view" : "table"} ${described.table.name} as CSV`,
      parameters: [...parameterRefs(parameters), ...described.rowParameters],
      reply: {
        description: "A page of rows, or with _stream=on all",
        content: { "text/plain": { schema: TEXT }, "text/csv": { schema: TEXT } },
      },
    }),
  ],
};
