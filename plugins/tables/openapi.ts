import { filterArgument } from "rowhouse/plugin-api/http";
import type { Table } from "rowhouse/plugin-api";
import { keyColumns } from "rowhouse/plugin-api/engine";
import {
  columnSchema,
  getEndpoint,
  parameterRefs,
  queryArgument,
  rowArguments,
  rowPlace,
  rowsReply,
  schemaRef,
  streamedRowArguments,
  type ApiDescription,
  type DescribedTable,
  type Endpoint,
  type JsonSchema,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const LIST = { type: "array" };
const TEXTS = { type: "array", items: TEXT };
const OBJECT = { type: "object" };
const ON = { type: "string", enum: ["on"] };

/** Arguments of the rows of tables and views, by the name of their component. */
const parameters: Readonly<Record<string, Parameter>> = {
  size: queryArgument("_size", "Rows of a page, or max", {
    anyOf: [{ type: "integer", minimum: 0 }, { const: "max" }],
  }),
  next: queryArgument("_next", "The key `next` of the previous page"),
  labels: queryArgument("_labels", "Foreign keys with the labels of what they point at", ON),
  label: queryArgument("_label", "The same for these columns only", TEXTS),
  order: queryArgument(
    "_order",
    "Order by several columns: `year,-price`, with `-` for descending; names are tilde-encoded",
  ),
  filters: {
    name: "_filters",
    in: "query",
    description:
      "Any filter by its name: `year__gte`, `title__contains`, `author_id__in`. Sent as arguments of these names.",
    style: "form",
    explode: true,
    schema: { type: "object", additionalProperties: TEXT },
  },
};

/** Arguments of the document. */
const documentParameters: Readonly<Record<string, Parameter>> = {
  nocount: queryArgument("_nocount", "Spare counting the rows", ON),
};

const common = { database: TEXT, table: TEXT, columns: TEXTS, primary_keys: TEXTS, units: OBJECT };

const schemas: Readonly<Record<string, JsonSchema>> = {
  TableDocument: {
    type: "object",
    properties: {
      ...common,
      is_view: BOOLEAN,
      human_description_en: TEXT,
      rows: LIST,
      truncated: BOOLEAN,
      filtered_table_rows_count: { type: ["integer", "null"] },
      filtered_table_rows_count_estimated: BOOLEAN,
      filtered_table_rows_count_pending: BOOLEAN,
      expanded_columns: TEXTS,
      expandable_columns: LIST,
      query: schemaRef("Statement"),
      facet_results: OBJECT,
      suggested_facets: { type: "array", items: OBJECT },
      next: { type: ["string", "null"] },
      next_url: { type: ["string", "null"] },
      private: BOOLEAN,
      allow_execute_sql: BOOLEAN,
      query_ms: { type: "number" },
    },
    required: ["rows", "truncated"],
  },
  RowDocument: {
    type: "object",
    properties: { ...common, rows: LIST, primary_key_values: TEXTS, query_ms: { type: "number" } },
    required: ["rows"],
  },
};

/** The rows of tables and views as JSON, and single rows. */
export const api: ApiDescription = {
  schemas: () => schemas,
  parameters: { ...parameters, ...documentParameters },
  rowParameters: columnParameters,
  documentParameters: () => parameterRefs(documentParameters),
  table: (table) => [
    rowsEndpoint(table),
    ...(keyColumns(table.table).length > 0 ? [rowEndpoint(table)] : []),
  ],
};

function rowsEndpoint(described: DescribedTable): Endpoint {
  const { table, schemaName } = described;
  const kind = table.kind === "view" ? "view" : "table";
  return getEndpoint(described, ".json", {
    id: "rows",
    summary: `Rows of the ${kind} ${table.name}`,
    parameters: [
      ...described.rowParameters,
      ...described.documentParameters,
      ...parameterRefs(streamedRowArguments),
      // SQLite allows a column without a name, which no argument can have.
      ...table.columns.filter(({ hidden, name }) => !hidden && name !== "").map(exactFilter),
    ],
    reply: rowsReply("A page of rows", "TableDocument", schemaRef(schemaName("row"))),
  });
}

function rowEndpoint(described: DescribedTable): Endpoint {
  const { table, schemaName } = described;
  const { end, parameters: keys } = rowPlace(described);
  return getEndpoint(described, `${end}.json`, {
    id: "row",
    summary: `One row of ${table.name}`,
    parameters: [...keys, ...parameterRefs(rowArguments)],
    reply: rowsReply("The row", "RowDocument", schemaRef(schemaName("row"))),
  });
}

function columnParameters({ schemaName }: Pick<DescribedTable, "schemaName">) {
  const column = schemaRef(schemaName("columns"));
  const some = { type: "array", items: column };
  return [
    ...parameterRefs(parameters),
    queryArgument("_sort", "Order by this column", column),
    queryArgument("_sort_desc", "Order by this column, backwards", column),
    queryArgument("_col", "Only these columns", some),
    queryArgument("_nocol", "Without these columns", some),
  ];
}

/** `title=Emma`. A name with another meaning needs its operator. */
const exactFilter = (column: Table["columns"][number]): Parameter =>
  queryArgument(
    filterArgument(column.name),
    `${column.name} is exactly this`,
    filterSchema(columnSchema(column)),
  );

// Arguments of a URL are text; the schema states which are numbers.
const filterSchema = ({ type }: JsonSchema): JsonSchema =>
  type === "integer" || type === "number" ? { type } : TEXT;
