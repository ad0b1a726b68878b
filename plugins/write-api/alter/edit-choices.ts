import { meaningful, sqlTokens } from "rowhouse/plugin-api/sql";
import { isSameName } from "rowhouse/plugin-api/names";
import { withConstraint, type ColumnDefinition } from "./column-definition.js";
import { nameOf } from "./sql-parts.js";
import { withColumn, type TableDefinition } from "./table-definition.js";

/** The CHECK that allows these values only. @param choices SQL of the values */
export const choiceSql = (
  { writtenName }: Pick<ColumnDefinition, "writtenName">,
  choices: readonly string[],
): string => `CHECK (${writtenName} IN (${choices.join(", ")}))`;

/** Replaces the CHECK of a column that is a list of values. Other checks stay. @throws WriteRejected */
export function withChoices(
  definition: TableDefinition,
  name: string,
  choices: readonly string[] | null,
): TableDefinition {
  const isOther = ({ kind, text }: { readonly kind: string; readonly text: string }): boolean =>
    kind !== "check" || !isListOf(text, name);
  const freed = { ...definition, constraints: definition.constraints.filter(isOther) };
  return withColumn(freed, name, (column) => {
    const other = { ...column, constraints: column.constraints.filter(isOther) };
    return choices === null ? other : withConstraint(other, "check", choiceSql(column, choices));
  });
}

/** Is this `check (column in (...))`, and nothing else? */
function isListOf(sql: string, column: string): boolean {
  const tokens = meaningful(sqlTokens(sql));
  const at = tokens.findIndex(({ text }) => text.toLowerCase() === "check");
  const words = tokens.slice(at).map(({ text }) => text.toLowerCase());
  const subject = tokens[at + 2];
  const isBegun = words[1] === "(" && words[3] === "in" && words[4] === "(";
  if (!isBegun || subject === undefined || !isSameName(nameOf(subject), column)) return false;
  return words.indexOf(")", 5) === words.length - 2;
}
