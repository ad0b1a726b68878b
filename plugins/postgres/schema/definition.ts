import { publishedIdentifier } from "../sql/identifiers.js";
import type { ListedColumn, ListedConstraint, ListedTable } from "./catalogue.js";

/** The CREATE statement of a table or view. PostgreSQL stores none, so it is made from the catalogue. */
export function tableDefinition(
  table: ListedTable,
  columns: readonly ListedColumn[],
  constraints: readonly ListedConstraint[],
): string {
  const name = publishedIdentifier(table.name);
  if (table.definition !== null) {
    const kind = table.kind === "m" ? "MATERIALIZED VIEW" : "VIEW";
    return `CREATE ${kind} ${name} AS\n${table.definition.replace(/;\s*$/, "")}`;
  }
  const parts = [...columns.map(columnDefinition), ...constraints.map(constraintDefinition)];
  return `CREATE TABLE ${name} (\n${parts.map((part) => `  ${part}`).join(",\n")}\n)`;
}

function columnDefinition(column: ListedColumn): string {
  const parts = [publishedIdentifier(column.name), column.type];
  if (column.identity !== "")
    parts.push(`GENERATED ${column.identity === "a" ? "ALWAYS" : "BY DEFAULT"} AS IDENTITY`);
  else if (column.generated !== "") parts.push(`GENERATED ALWAYS AS (${column.default_sql ?? ""}) STORED`);
  else if (column.default_sql !== null) parts.push(`DEFAULT ${column.default_sql}`);
  if (column.not_null && column.identity === "") parts.push("NOT NULL");
  return parts.join(" ");
}

const constraintDefinition = ({ name, definition }: ListedConstraint): string =>
  `CONSTRAINT ${publishedIdentifier(name)} ${definition}`;
