import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";
import { splitBefore, bracketDepths, nameOf, textOf, keywordOf } from "./sql-parts.js";

/** A column of a parsed CREATE TABLE statement; every part keeps its exact text. */
export interface ColumnDefinition {
  readonly name: string;
  /** The name as it is written in the statement, with its quotes. */
  readonly writtenName: string;
  /** Empty if none is declared. */
  readonly type: string;
  readonly constraints: readonly ColumnConstraint[];
  /** The table has no values of it, also if it had a column of this name that was dropped. */
  readonly isNew?: true;
}

export type ColumnConstraintKind =
  | "primary-key"
  | "not-null"
  | "null"
  | "unique"
  | "check"
  | "default"
  | "collate"
  | "references"
  | "generated";

export interface ColumnConstraint {
  readonly kind: ColumnConstraintKind;
  readonly text: string;
}

const KINDS: ReadonlyMap<string, ColumnConstraintKind> = new Map<string, ColumnConstraintKind>([
  ["PRIMARY", "primary-key"],
  ["NOT", "not-null"],
  ["NULL", "null"],
  ["UNIQUE", "unique"],
  ["CHECK", "check"],
  ["DEFAULT", "default"],
  ["COLLATE", "collate"],
  ["REFERENCES", "references"],
  ["GENERATED", "generated"],
  ["AS", "generated"],
]);

/** Parses one column of a CREATE TABLE statement that SQLite has accepted. */
export function readColumn(sql: string): ColumnDefinition {
  const tokens = meaningful(sqlTokens(sql));
  const depth = bracketDepths(tokens);
  const starts = (index: number): boolean =>
    index > 0 && depth[index] === 0 && beginsConstraint(tokens, index);
  const first = tokens.findIndex((_token, index) => starts(index));
  const [name] = tokens;
  return {
    name: name === undefined ? "" : nameOf(name),
    writtenName: name?.text ?? "",
    type: textOf(sql, tokens.slice(1, first === -1 ? undefined : first)),
    constraints: splitBefore(tokens, starts).map((part) => ({ kind: kindOf(part), text: textOf(sql, part) })),
  };
}

/** Keywords that begin a constraint also occur inside of others: `ON DELETE SET NULL`, `NOT DEFERRABLE`. */
function beginsConstraint(tokens: readonly SqlToken[], index: number): boolean {
  const word = keywordOf(tokens[index]);
  const before = keywordOf(tokens[index - 1]);
  if (before === "CONSTRAINT" || (index > 2 && keywordOf(tokens[index - 2]) === "CONSTRAINT")) return false;
  if (word === "CONSTRAINT") return true;
  if (!KINDS.has(word)) return false;
  if (word === "NOT") return keywordOf(tokens[index + 1]) !== "DEFERRABLE";
  if (word === "NULL") return !["NOT", "SET", "DEFAULT"].includes(before);
  if (word === "DEFAULT") return before !== "SET";
  return word !== "AS" || before !== "ALWAYS";
}

function kindOf(tokens: readonly SqlToken[]): ColumnConstraintKind {
  const at = keywordOf(tokens[0]) === "CONSTRAINT" ? 2 : 0;
  return KINDS.get(keywordOf(tokens[at])) ?? "check";
}

/** The column as SQL for CREATE TABLE. */
export const columnSql = ({ writtenName, type, constraints }: ColumnDefinition): string =>
  [writtenName, type, ...constraints.map(({ text }) => text)].filter((text) => text !== "").join(" ");

/** Removes constraints of these kinds. */
export const withoutConstraints = (
  column: ColumnDefinition,
  ...kinds: readonly ColumnConstraintKind[]
): ColumnDefinition => ({
  ...column,
  constraints: column.constraints.filter(({ kind }) => !kinds.includes(kind)),
});

/** Adds a constraint. */
export const withConstraint = (
  column: ColumnDefinition,
  kind: ColumnConstraintKind,
  text: string,
): ColumnDefinition => ({ ...column, constraints: [...column.constraints, { kind, text }] });

/** Does the column have a constraint of this kind? */
export const hasConstraint = ({ constraints }: ColumnDefinition, wanted: ColumnConstraintKind): boolean =>
  constraints.some(({ kind }) => kind === wanted);
