import { jsonText, WriteRejected } from "rowhouse/plugin-api";
import { keyColumns } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { versionOf } from "../conditional/row-version.js";
import { isObject } from "../json/cell-values.js";
import { requireView, type WriteContext } from "../target/write-access.js";

/**
 * The version of some columns and of those before them: it changes with their names, order and types, and with the key of
 * the table. After such a change, a value may belong into another column, or be stored as another value. Columns that are
 * added to the table come after them.
 */
export function columnsVersion({ source: { table } }: TableTarget, names: Iterable<string>): string {
  const written = new Set(names);
  const last = table.columns.findLastIndex(({ name }) => written.has(name));
  const columns = table.columns.slice(0, last + 1).map(({ name, type }) => [name, type]);
  return versionOf([table.name], [jsonText([keyColumns(table), columns])]);
}

/**
 * `if_columns`: the version that the columns of an operation must have.
 *
 * @returns the operation without it
 * @throws WriteRejected
 */
export async function checkColumnsVersion(
  context: WriteContext,
  target: TableTarget,
  document: JsonObject,
): Promise<JsonObject> {
  const given = document.get("if_columns") ?? null;
  if (given === null) return document;
  await requireView(context, target, 'use "if_columns"');
  const values = document.get("row") ?? document.get("update");
  const names = isObject(values) ? values.keys() : [];
  if (given !== columnsVersion(target, names))
    throw new WriteRejected([`The columns of ${target.table.name} have changed`], 412);
  return new Map([...document].filter(([name]) => name !== "if_columns"));
}
