import { filterArgument, tildeEncode } from "rowhouse/plugin-api/http";
import type { Table } from "rowhouse/plugin-api";
import { keyColumns } from "rowhouse/plugin-api/engine";
import type { VisibleTable } from "./catalogue.js";
import { identifier } from "./names.js";
import {
  jsonContent,
  parameterRef,
  responseRef,
  schemaRef,
  type Endpoint,
  type JsonSchema,
  type Operation,
  type Parameter,
  type Reference,
  type Response,
} from "./openapi.js";
import {
  csvArguments,
  orderArgument,
  rowArguments,
  searchArgument,
  streamArgument,
  tableArguments,
  whereArgument,
} from "./parameters.js";
import { columnSchema } from "./row-schemas.js";
import type { WrittenRows } from "./table-writes.js";

/** A table and the names of its schemas in the document. */
export interface DescribedTable {
  readonly database: string;
  readonly seen: VisibleTable;
  /** The schema of its rows. */
  readonly row: string;
  /** The schema of the names of its columns. */
  readonly columns: string;
  /** The schema of its rows for writes. */
  readonly rows: WrittenRows;
  readonly mayRunSql: boolean;
  readonly reordersColumns: boolean;
}

export const failures: Operation["responses"] = {
  "400": responseRef("BadRequest"),
  "403": responseRef("Forbidden"),
  "404": responseRef("NotFound"),
};

/** References to these components. */
export const references = (components: Readonly<Record<string, Parameter>>): readonly Reference[] =>
  Object.keys(components).map(parameterRef);

/** A reply with rows: the document, or only the rows, as JSON or as lines. */
export function rowsResponse(description: string, document: string, row: JsonSchema | Reference): Response {
  return {
    description,
    content: {
      ...jsonContent({ anyOf: [schemaRef(document), { type: "array", items: row }, { type: "object" }] }),
      "text/plain": { schema: { type: "string", description: "With _nl=on: one object a line" } },
    },
  };
}

/** The path of a database without format. */
export const databasePath = (database: string): string => `/${tildeEncode(database)}`;

export const resourcePath = (database: string, name: string): string =>
  `${databasePath(database)}/${tildeEncode(name)}`;

/**
 * The endpoints of a table or view: rows as JSON and CSV, and one row.
 *
 * @param more further parameters of rows
 */
export function tableEndpoints(
  described: DescribedTable,
  formats: ReadonlySet<string>,
  more: readonly Reference[],
): readonly Endpoint[] {
  const { database, seen, row } = described;
  const { table } = seen;
  const path = resourcePath(database, table.name);
  const parameters = [...tableParameters(described), ...more];
  const kind = table.kind === "view" ? "view" : "table";
  const common = { tags: [database], parameters };
  const rows: Endpoint = {
    path: `${path}.json`,
    method: "get",
    operation: {
      operationId: identifier(database, table.name, "rows"),
      summary: `Rows of the ${kind} ${table.name}`,
      ...common,
      responses: { "200": rowsResponse("A page of rows", "TableDocument", schemaRef(row)), ...failures },
    },
  };
  const csv: Endpoint = {
    path: `${path}.csv`,
    method: "get",
    operation: {
      operationId: identifier(database, table.name, "csv"),
      summary: `Rows of the ${kind} ${table.name} as CSV`,
      tags: [database],
      parameters: [...references(csvArguments), ...more],
      responses: { "200": csvResponse, ...failures },
    },
  };
  const one = keyColumns(table).length > 0 ? [rowEndpoint(described)] : [];
  return [rows, ...(formats.has("csv") ? [csv] : []), ...one];
}

const csvResponse: Response = {
  description: "A page of rows, or with _stream=on all",
  content: { "text/plain": { schema: { type: "string" } }, "text/csv": { schema: { type: "string" } } },
};

function rowEndpoint({ database, seen: { table }, row }: DescribedTable): Endpoint {
  const { path, parameters } = rowPlace(database, table);
  return {
    path: `${path}.json`,
    method: "get",
    operation: {
      operationId: identifier(database, table.name, "row"),
      summary: `One row of ${table.name}`,
      tags: [database],
      parameters: [...parameters, ...references(rowArguments)],
      responses: { "200": rowsResponse("The row", "RowDocument", schemaRef(row)), ...failures },
    },
  };
}

const PLAIN = /^[A-Za-z_]\w*$/;

/** The path of a row, with one parameter for each part of its key. */
export function rowPlace(database: string, table: Table): { path: string; parameters: readonly Parameter[] } {
  const keys = table.primaryKeys.length > 0 ? table.primaryKeys : ["rowid"];
  const names = keys.map((key, index) => (PLAIN.test(key) ? key : `key${index + 1}`));
  const parameters = names.map((name, index): Parameter => ({
    name,
    in: "path",
    required: true,
    description: `${keys[index]}; tilde-encoded, or percent-encoded at the cost of a redirect`,
    schema: { type: "string" },
  }));
  const key = names.map((name) => `{${name}}`).join(",");
  return { path: `${resourcePath(database, table.name)}/${key}`, parameters };
}

const byColumn = (name: string, description: string, schema: JsonSchema | Reference): Parameter => ({
  name,
  in: "query",
  description,
  schema: { ...schema },
});

function tableParameters({ seen: { table }, columns, mayRunSql }: DescribedTable) {
  const column = schemaRef(columns);
  const some = { type: "array", items: column };
  return [
    ...references(tableArguments),
    ...(table.fullText === null ? [] : references(searchArgument)),
    ...(mayRunSql ? references(whereArgument) : []),
    byColumn("_sort", "Order by this column", column),
    byColumn("_sort_desc", "Order by this column, backwards", column),
    ...references(orderArgument),
    byColumn("_col", "Only these columns", some),
    byColumn("_nocol", "Without these columns", some),
    byColumn("_facet", "Columns whose values are to be counted", some),
    ...references(rowArguments),
    ...references(streamArgument),
    ...table.columns.filter(({ hidden }) => !hidden).map(exactFilter),
  ];
}

/** `title=Emma`. A name with another meaning needs its operator. */
const exactFilter = (column: Table["columns"][number]): Parameter => ({
  name: filterArgument(column.name),
  in: "query",
  description: `${column.name} is exactly this`,
  schema: filterSchema(columnSchema(column)),
});

// Arguments of a URL are text; the schema states which are numbers.
const filterSchema = ({ type }: JsonSchema): JsonSchema =>
  type === "integer" || type === "number" ? { type } : { type: "string" };
