import { keyColumns } from "rowhouse/plugin-api/engine";
import {
  jsonContent,
  parameterRefs,
  postEndpoint,
  rowPlace,
  schemaRef,
  type ApiDescription,
  type DescribedTable,
  type Endpoint,
  type JsonSchema,
} from "rowhouse/plugin-api/openapi";
import { headers, mayWrite, WRITE_ACTIONS } from "./common.js";
import { databaseWrites } from "./database-writes.js";
import { suggestionEndpoints, targetEndpoints } from "./foreign-keys.js";
import { rowsByKeyEndpoints } from "./rows-by-key.js";
import { bodyOf, commonBodies, tableWrites, type TableWrite } from "./table-writes.js";
import { writtenRows, writtenRowSchemas } from "./written-rows.js";

const done: JsonSchema = {
  type: "object",
  description: "It is done",
  properties: {
    ok: { const: true },
    rows: { type: "array" },
    row: { type: "object" },
    row_count: { type: "integer" },
  },
  required: ["ok"],
};

/** The JSON API for writes: the operations that the actor may use. */
export const api: ApiDescription = {
  actions: [...WRITE_ACTIONS, "create-table", "execute-write-sql"],
  parameters: headers,
  schemas: (databases) => ({
    Done: done,
    ...commonBodies(databases.map(({ database }) => reordersColumns(database))),
  }),
  database: async (database) => [...(await databaseWrites(database)), ...targetEndpoints(database)],
  table: (table) => [...rowsByKeyEndpoints(table), ...tableEndpoints(table), ...suggestionEndpoints(table)],
  tableSchemas: (table) =>
    WRITES_ROWS.some((action) => mayWrite(table, action)) ? writtenRowSchemas(table) : {},
};

const WRITES_ROWS = ["insert-row", "update-row"] as const;

/** Other engines alter tables by statements, which do not reorder columns. */
const reordersColumns = ({ dialect }: DescribedTable["database"]): boolean =>
  dialect.definitions.alter === "rebuild";

function tableEndpoints(described: DescribedTable): readonly Endpoint[] {
  const reorder = reordersColumns(described.database);
  const open = tableWrites.filter(
    ({ needs, on, requires, reorders = reorder }) =>
      reorders === reorder &&
      needs.every((action) => mayWrite(described, action)) &&
      fits(described, on) &&
      (requires === undefined || described.rowhouse.serviceIfAny(requires) !== null),
  );
  return open.map((write) => {
    const place = write.on === "row" ? rowPlace(described) : { end: "", parameters: [] };
    return postEndpoint(described, `${place.end}/-/${write.word}`, {
      id: write.id,
      summary: `${write.says} ${described.table.name}`,
      parameters: [...place.parameters, ...parameterRefs(headers)],
      body: bodyOf(write, writtenRows(described)),
      status: write.status,
      reply: { description: "Done", content: jsonContent(schemaRef("Done")) },
    });
  });
}

function fits({ table }: DescribedTable, on: TableWrite["on"]): boolean {
  if (on === "table") return true;
  return on === "definition" ? table.kind === "table" : keyColumns(table).length > 0;
}
