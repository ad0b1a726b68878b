import { quoteIdentifier } from "rowhouse/plugin-api";
import type { InsertConflict, PackedRows, RowsInsert, RowsUpsert } from "rowhouse/plugin-api/engine";

const VERBS: Readonly<Record<InsertConflict, string>> = {
  fail: "insert into",
  ignore: "insert or ignore into",
  replace: "insert or replace into",
};

const listOf = (columns: readonly string[]): string => columns.map(quoteIdentifier).join(", ");

/** Rows of a JSON array. Their values have no affinity, like bare parameters. */
export function packedRows({ kinds, parameter }: PackedRows): string {
  const cells = [...kinds].map((kind, index) => CELLS[kind === "b" || kind === "t" ? kind : "v"](index));
  return `select ${cells.join(", ")} from json_each(${parameter})`;
}

const cell = (index: number): string => `json_extract(value, '$[${index}]')`;

/** A BLOB is encoded as an array that holds its hex form. No other value is encoded as an array. */
const blobCell = (index: number): string =>
  `iif(json_type(value, '$[${index}]') = 'array', unhex(json_extract(value, '$[${index}][0]')), ${cell(index)})`;

/** TEXT that is not valid UTF-8 is encoded as an array in an array. */
const textCell = (index: number): string =>
  `iif(json_type(value, '$[${index}][0]') = 'array', ` +
  `cast(unhex(json_extract(value, '$[${index}][0][0]')) as text), ${blobCell(index)})`;

const CELLS = { v: cell, b: blobCell, t: textCell } as const;

export function insertRows({ table, columns, select, conflict, returning }: RowsInsert): string {
  const target = `${VERBS[conflict]} ${quoteIdentifier(table.name)}`;
  const rows = select === null ? "default values" : `(${listOf(columns)}) ${select}`;
  return `${target} ${rows}${returning.length === 0 ? "" : ` returning ${listOf(returning)}`}`;
}

export function upsertRows({ table, columns, select, keys }: RowsUpsert): string {
  const changes = columns
    .filter((column) => !keys.includes(column))
    .map((column) => `${quoteIdentifier(column)} = excluded.${quoteIdentifier(column)}`);
  const action = changes.length === 0 ? "nothing" : `update set ${changes.join(", ")}`;
  return (
    `insert into ${quoteIdentifier(table.name)} (${listOf(columns)}) ` +
    // Without WHERE, SQLite would parse ON as part of a join.
    `${select} where true on conflict (${listOf(keys)}) do ${action}`
  );
}
