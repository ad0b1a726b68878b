import { schemaRef, type JsonSchema, type Reference } from "rowhouse/plugin-api/openapi";
import { body, DRY_RUN, FLAG, NAMES, TEXT, type WriteAction } from "./common.js";
import type { WrittenRows } from "./written-rows.js";

/** An operation that writes to a table. */
export interface TableWrite {
  /** The end of its id. */
  readonly id: string;
  readonly word: string;
  readonly says: string;
  readonly needs: readonly WriteAction[];
  /** `keyed table`: only if a key finds rows. `definition`: only for tables whose definition can be changed. */
  readonly on: "table" | "keyed table" | "row" | "definition";
  /** Only for engines that do, or do not, reorder columns. */
  readonly reorders?: boolean;
  /** Only if this service exists. */
  readonly requires?: "columnTypes";
  readonly status: "200" | "201";
  /** The same for all tables, or made of the row schemas of a table. */
  readonly body: JsonSchema | ((rows: WrittenRows) => JsonSchema);
}

const rowsBody = (row: Reference): JsonSchema =>
  body(
    {
      row,
      rows: { type: "array", items: row },
      return: { ...FLAG, description: "Answer with the rows as they are stored" },
      ignore: { ...FLAG, description: "Leave out rows whose key is there already" },
      replace: { ...FLAG, description: "Replace rows whose key is there already; needs update-row" },
      alter: { ...FLAG, description: "Add the columns that are missing; needs alter-table" },
    },
    { oneOf: [{ required: ["row"] }, { required: ["rows"] }] },
  );

const upsertBody = (row: Reference): JsonSchema => {
  const { ignore: _ignore, replace: _replace, ...properties } = rowsBody(row)["properties"] as JsonSchema;
  return { ...rowsBody(row), properties };
};

const filterMembers = {
  filters: { type: "object", description: "Filters of the table page by name: year__gte, title" },
  keys: {
    type: "array",
    description: "Instead of filters: the keys of rows, each a value, or a list for a compound key",
  },
  all: { ...FLAG, description: "Every row, where there are no filters" },
  dry_run: DRY_RUN,
};

const operations = (what: string): JsonSchema => ({
  type: "array",
  minItems: 1,
  description: what,
  items: { type: "object", properties: { op: TEXT }, required: ["op"] },
});

const ALTERATIONS = (reorders: boolean): string =>
  `add_column, rename_column, alter_column, drop_column, ${reorders ? "reorder_columns, " : ""}set_primary_key, ` +
  "add_foreign_key, drop_foreign_key, set_foreign_keys, add_check, drop_check or rename_table, with its arguments";

/** Plain tables have a definition that can be changed; virtual tables do not. */
const definitionWrites: readonly TableWrite[] = [
  ...[true, false].map((reorders) => ({
    id: "alter_table",
    reorders,
    word: "alter",
    says: "Change the definition of",
    body: body(
      { operations: operations(ALTERATIONS(reorders)), dry_run: DRY_RUN },
      { required: ["operations"] },
    ),
  })),
  {
    id: "create_index",
    word: "create-index",
    says: "Make an index over columns of",
    body: body({ columns: NAMES, name: TEXT, unique: FLAG }, { required: ["columns"] }),
    status: "201" as const,
  },
  {
    id: "drop_index",
    word: "drop-index",
    says: "Take away an index of",
    body: body({ name: TEXT }, { required: ["name"] }),
  },
  {
    id: "enable_search",
    word: "enable-search",
    says: "Make text searchable in",
    body: body({ columns: NAMES, tokenize: TEXT, replace: FLAG }, { required: ["columns"] }),
    status: "201" as const,
  },
  {
    id: "disable_search",
    word: "disable-search",
    says: "Take search away from",
    body: body({}),
  },
  {
    id: "set_column_type",
    requires: "columnTypes" as const,
    word: "set-column-type",
    says: "Say what a column holds of",
    body: body(
      {
        column: TEXT,
        column_type: { oneOf: [body({ type: TEXT, config: {} }, { required: ["type"] }), { type: "null" }] },
      },
      { required: ["column", "column_type"] },
    ),
  },
].map((write) => ({ status: "200", ...write, needs: ["alter-table"], on: "definition" }));

/** All operations that write to a table. */
export const tableWrites: readonly TableWrite[] = [
  {
    id: "insert_rows",
    word: "insert",
    says: "Insert rows into",
    needs: ["insert-row"],
    on: "table",
    status: "201",
    body: ({ added }) => rowsBody(added),
  },
  {
    id: "upsert_rows",
    word: "upsert",
    says: "Update rows by their key, or insert them, in",
    needs: ["insert-row", "update-row"],
    on: "keyed table",
    status: "200",
    body: ({ keyed }) => upsertBody(keyed),
  },
  {
    id: "update_rows",
    word: "update",
    says: "Change every row that filters or keys select in",
    needs: ["update-row"],
    on: "keyed table",
    status: "200",
    body: ({ changes }) => body({ update: changes, ...filterMembers }, { required: ["update"] }),
  },
  {
    id: "delete_rows",
    word: "delete",
    says: "Delete every row that filters or keys select from",
    needs: ["delete-row"],
    on: "keyed table",
    status: "200",
    body: body(filterMembers),
  },
  {
    id: "drop_table",
    word: "drop",
    says: "Drop, or without confirm count the rows of",
    needs: ["drop-table"],
    on: "table",
    status: "200",
    body: body({ confirm: FLAG }),
  },
  {
    id: "update_row",
    word: "update",
    says: "Change a row of",
    needs: ["update-row"],
    on: "row",
    status: "200",
    body: ({ changes }) => body({ update: changes, return: FLAG, alter: FLAG }, { required: ["update"] }),
  },
  {
    id: "delete_row",
    word: "delete",
    says: "Delete a row of",
    needs: ["delete-row"],
    on: "row",
    status: "200",
    body: body({}),
  },
  ...definitionWrites,
];

/** The schema of a body that is the same for all tables. */
const commonName = ({ id, reorders }: TableWrite): string =>
  `Body_${id}${reorders === false ? "_in_place" : ""}`;

/** The body of a write to a table. */
export const bodyOf = (write: TableWrite, rows: WrittenRows): JsonSchema | Reference =>
  typeof write.body === "function" ? write.body(rows) : schemaRef(commonName(write));

/** The bodies that are the same for all tables, by the name of their component. @param reorders which engines there are */
export const commonBodies = (reorders: readonly boolean[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    tableWrites
      .filter((write) => write.reorders === undefined || reorders.includes(write.reorders))
      .flatMap((write) =>
        typeof write.body === "function" ? [] : [[commonName(write), write.body] as const],
      ),
  );
