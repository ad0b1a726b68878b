import { documentReply, getEndpoint, parameterRef, type ApiDescription } from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };

/** The statistics of columns. */
export const api: ApiDescription = {
  table: (described) => [
    getEndpoint(described, "/-/columns.json", {
      id: "columns",
      summary: `Statistics of the columns of ${described.table.name}`,
      parameters: [parameterRef("filters")],
      reply: documentReply("The columns, in order", {
        database: TEXT,
        table: TEXT,
        columns: { type: "array", items: COLUMN },
      }),
    }),
  ],
};

const COLUMN = {
  type: "object",
  properties: {
    name: TEXT,
    type: TEXT,
    timed_out: { type: "boolean", description: "True if there was no time to look at every row" },
    filled: COUNT,
    distinct: COUNT,
    min: {},
    max: {},
    mean: { type: ["number", "null"] },
    most_frequent: {
      type: "array",
      items: { type: "object", properties: { value: {}, count: COUNT }, required: ["value", "count"] },
    },
  },
  required: ["name", "type", "timed_out"],
};
