import { WriteRejected } from "rowhouse/plugin-api";
import type { SqlValue, Table } from "rowhouse/plugin-api";
import { cellValue } from "./cell-values.js";
import type { RowValues } from "./cell-values.js";
import { isObject } from "./json-value.js";
import type { JsonObject } from "./json-value.js";

/** The member `update` of a body: values by column, under the columns' own spelling. @throws WriteRejected */
export function changesOf(document: JsonObject, table: Table): RowValues {
  const update = document.get("update");
  if (!isObject(update)) throw new WriteRejected(["JSON must contain an update dictionary"]);
  const columns = new Map(table.columns.map(({ name }) => [name.toLowerCase(), name]));
  const changes = new Map<string, SqlValue>();
  for (const [name, value] of update) {
    const column = columns.get(name.toLowerCase());
    if (column === undefined) throw new WriteRejected([noSuchColumn(name)]);
    changes.set(column, cellValue(value));
  }
  return changes;
}

const noSuchColumn = (name: string): string =>
  /[[\]]/.test(name) ? "'[' and ']' cannot be used in column names" : `no such column: ${name}`;
