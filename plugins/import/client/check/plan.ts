import { type PlaceName, message, placeMessage, type Message } from "../message.js";
import { JsonValue, type Cell, type SourceRow } from "../read/source.js";
import { HOLDS_NUMBERS, isGiven, kindOf, mistakeOf, type ColumnType } from "./kinds.js";
import type { Affinity } from "../page-facts.js";
import type { ColumnFacts, Scan } from "./scan.js";

/** A column of the file that is imported. */
export interface PlannedColumn {
  /** Its position in the file. */
  readonly position: number;
  /** The column of the table. */
  readonly name: string;
  readonly affinity: Affinity;
  /** True if rows need a value. */
  readonly required: boolean;
  /** The type of a column that the table does not have yet; null for one that it has. */
  readonly newType: ColumnType | null;
}

/** What an empty field becomes. */
export type Blank = "null" | "empty" | "default";

/** What happens to rows with problems. */
export type ProblemPolicy = "stop" | "skip" | "keep";

/** How rows of the file become rows of the table. */
export interface Plan {
  readonly columns: readonly PlannedColumn[];
  readonly blank: Blank;
  readonly problems: ProblemPolicy;
}

/** Something in the file that does not fit the table. */
export interface Problem {
  readonly count: number;
  readonly text: Message;
}

const AFFINITIES: Readonly<Record<ColumnType, Affinity>> = {
  text: "text",
  integer: "integer",
  float: "real",
  blob: "blob",
};

/** The affinity of a new column. */
export const affinityOf = (type: ColumnType): Affinity => AFFINITIES[type];

/** All that does not fit, each with its first place. */
export function problemsIn(
  scan: Scan,
  plan: Omit<Plan, "problems">,
  placeName: PlaceName,
): readonly Problem[] {
  const { count, first } = scan.broken;
  const broken = first.slice(0, 1).map(({ place, problem }) => ({
    count,
    text: message("script.import.broken", {
      count,
      where: placeMessage(placeName, place),
      problem: problem ?? "",
    }),
  }));
  return [
    ...broken,
    ...plan.columns.flatMap((column) => columnProblems(scan, column, plan.blank, placeName)),
  ];
}

function columnProblems(scan: Scan, column: PlannedColumn, blank: Blank, placeName: PlaceName): Problem[] {
  const facts = scan.facts[column.position];
  if (facts === undefined) return [];
  return [...valueProblems(facts, column, placeName), ...blankProblems(facts, column, blank, placeName)];
}

function valueProblems(
  { kinds }: ColumnFacts,
  { name, affinity }: PlannedColumn,
  placeName: PlaceName,
): Problem[] {
  return [...kinds].flatMap(([kind, { count, first }]) => {
    const mistake = mistakeOf(kind, affinity);
    if (mistake === null) return [];
    const where = placeMessage(placeName, first.place);
    const value = message("script.import.value_in", { text: shortened(first.text), where });
    return [{ count, text: message(`script.import.${mistake}`, { column: name, count, value }) }];
  });
}

function blankProblems(
  { blanks, firstBlank }: ColumnFacts,
  { name, required, affinity }: PlannedColumn,
  blank: Blank,
  placeName: PlaceName,
): Problem[] {
  if (!required || blanks === 0 || blank === "default") return [];
  if (blank === "empty" && !HOLDS_NUMBERS.has(affinity)) return [];
  const where = placeMessage(placeName, firstBlank ?? 1);
  return [{ count: blanks, text: message("script.import.no_value", { column: name, count: blanks, where }) }];
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Makes the JSON line of a row; null for a row that is left out. */
export function lineMaker({ columns, blank, problems }: Plan): (row: SourceRow) => string | null {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  return (row) => {
    if (problems === "skip" && row.problem !== null) return null;
    const members: string[] = [];
    for (const [index, column] of columns.entries()) {
      const cell = row.cells[column.position];
      if (problems === "skip" && isMistaken(cell, column, blank)) return null;
      const json = jsonOf(cell, column, blank);
      if (json !== null) members.push(keys[index] + json);
    }
    return `{${members.join(",")}}`;
  };
}

function isMistaken(cell: Cell, { affinity, required }: PlannedColumn, blank: Blank): boolean {
  if (isGiven(cell)) return mistakeOf(kindOf(cell), affinity) !== null;
  return required && (blank === "null" || (blank === "empty" && HOLDS_NUMBERS.has(affinity)));
}

/** Null for a value that is not sent: the column gets its default. */
function jsonOf(cell: Cell, { affinity, newType }: PlannedColumn, blank: Blank): string | null {
  if (!isGiven(cell)) {
    if (cell === undefined || blank === "default") return null;
    return blank === "empty" && !HOLDS_NUMBERS.has(affinity) ? '""' : "null";
  }
  const kind = kindOf(cell);
  const text = cell instanceof JsonValue ? cell.json : cell;
  // A text in a column of texts keeps its digits: 1.10 does not become 1.1.
  if (affinity === "text") return kind === "blob" ? text : JSON.stringify(text);
  if (kind === "integer" && newType === "float") return `${text}.0`;
  const isNumber = kind === "integer" || kind === "wide" || kind === "real";
  if (isNumber && (HOLDS_NUMBERS.has(affinity) || cell instanceof JsonValue))
    // JSON without a point is an integer.
    return text === "-0" ? "-0.0" : text;
  if (kind === "boolean" || kind === "blob") return text;
  return JSON.stringify(text);
}
