import { changedQuery, fetchDocument, tildeEncode } from "rowhouse/browser";
import type { Choice } from "./choice.js";
import { asDate, plain, type ColumnKind, type Value } from "./frame.js";
import {
  MAX_BARS,
  MAX_BARS_OF_EACH,
  MAX_CHARTS,
  stepFor,
  type Extent,
  type Grouped,
  type Measured,
  type Splits,
} from "./grouped.js";
import { measuredNumber, numberOf } from "./numbers.js";
import { isDateStep } from "./steps.js";

interface GroupsDocument {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly filtered_table_rows_count: number | null;
  readonly next: string | null;
}

interface Groups extends Omit<GroupsDocument, "rows"> {
  /** The values of each row in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
}

/** Arguments of a page of rows that mean nothing for groups. */
const OF_ROWS = [
  "_sort",
  "_sort_desc",
  "_order",
  "_size",
  "_col",
  "_nocol",
  "_facet",
  "_facet_array",
  "_facet_date",
];

/** The values of a chart, computed in the database over all rows that the page selects. @throws Error */
export async function serverGroups(address: string, choice: Choice, kind: ColumnKind): Promise<Grouped> {
  const { x, color, split } = choice;
  const extent = kind === "category" ? NO_EXTENT : await extentOf(address, x, kind);
  const step = stepFor(choice, kind, extent);
  const isLongest = choice.mark === "bar" && step === "each";
  // As numbers, two integers beyond 2^53 could be the same bar. An axis needs numbers.
  const exact = isLongest ? { _bigint: "text" } : {};
  const ask = (wanted: Readonly<Record<string, string>>): Promise<Groups> =>
    groupsOf(address, { _agg: measureText(choice), _labels: "on", ...exact, ...wanted });
  const most = split === "" ? MAX_BARS : MAX_BARS_OF_EACH;
  const longest = isLongest ? { _order: longestFirst(choice), _size: String(most) } : { _size: "max" };
  const group = groupText(x, step);
  const first = await ask({ _group: group, ...longest });
  const further = [split, hasOwnColour(choice) ? color : ""].filter((name) => name !== "").map(tildeEncode);
  const [shown, splits] = await Promise.all([
    further.length > 0 ? ask({ _group: [group, ...further].join(), _size: "max" }) : first,
    split === "" ? null : splitsOf(address, split, exact),
  ]);
  const isDated = kind === "date" && step === "each";
  const read = (cell: unknown): Value => (isDated ? asDate(plain(cell)) : plain(cell));
  const names = new Set(first.rows.map(([value]) => JSON.stringify(value)));
  const charts = new Set(splits?.shown.map((value) => JSON.stringify(value)));
  return {
    measured: shown.rows
      .filter(([value]) => names.has(JSON.stringify(value)))
      .filter((row) => splits === null || charts.has(JSON.stringify(plain(row[1]))))
      .map((row) => ({
        x: read(row[0]),
        color: colourOf(row, choice, read),
        ...(splits !== null && { split: plain(row[1]) }),
        ...measuredCell(row.at(-1)),
      })),
    step,
    total: first.filtered_table_rows_count ?? (first.next === null ? first.rows.length : null),
    isOfSomeRows: shown !== first && shown.next !== null,
    splits,
  };
}

/** The argument `_agg`: `count`, `sum(price)`. */
function measureText({ y, agg }: Choice): string {
  if (y === "" || agg === "") return "count";
  return agg === "distinct" ? `count(distinct ${tildeEncode(y)})` : `${agg}(${tildeEncode(y)})`;
}

/** True if the groups have a column for the colour alone. */
const hasOwnColour = ({ x, color, split }: Choice): boolean => color !== "" && color !== x && color !== split;

/** The colour of a group, whose values are the place, the chart if there are several, the colour, and the measure. */
function colourOf(row: readonly unknown[], choice: Choice, read: (cell: unknown) => Value): Value {
  if (choice.color === "") return null;
  if (choice.color === choice.split) return plain(row[1]);
  return hasOwnColour(choice) ? plain(row.at(-2)) : read(row[0]);
}

/** The values of a column with the most rows, and their number. */
async function splitsOf(
  address: string,
  split: string,
  exact: Readonly<Record<string, string>>,
): Promise<Splits> {
  const { rows, filtered_table_rows_count: total } = await groupsOf(address, {
    _group: tildeEncode(split),
    _agg: "count",
    _labels: "on",
    _order: longestFirst({ x: split, y: "", agg: "" }),
    _size: String(MAX_CHARTS),
    ...exact,
  });
  return { shown: rows.map(([value]) => plain(value)), total };
}

const NO_EXTENT: Extent = { from: NaN, to: NaN, distinct: NaN };

/** The column of counts has another name if the groups have this one. */
function longestFirst({ x, y, agg }: Pick<Choice, "x" | "y" | "agg">): string {
  if (y === "") return x === "count" ? "-count~28~2A~29" : "-count";
  return `-${tildeEncode(agg === "distinct" ? `count(distinct ${y})` : `${agg}(${y})`)}`;
}

function groupText(x: string, step: string): string {
  const column = tildeEncode(x);
  if (step === "each") return column;
  return isDateStep(step) ? `date(${column},${step})` : `interval(${column},${step})`;
}

async function extentOf(address: string, x: string, kind: ColumnKind): Promise<Extent> {
  const column = tildeEncode(x);
  const { rows } = await groupsOf(address, {
    _agg: `min(${column}),max(${column}),count(distinct ${column})`,
    _nocount: "1",
  });
  const [from, to, distinct] = rows[0] ?? [];
  const read = (cell: unknown): number =>
    kind === "date" ? (asDate(plain(cell))?.valueOf() ?? NaN) : typeof cell === "number" ? cell : NaN;
  return { from: read(from), to: read(to), distinct: Number(distinct) };
}

async function groupsOf(address: string, wanted: Readonly<Record<string, string>>): Promise<Groups> {
  const url = new URL(address);
  url.search = changedQuery(url.search, OF_ROWS);
  const found = await fetchDocument<GroupsDocument>(url.href, { _nosuggest: "1", ...wanted });
  return { ...found, rows: found.rows.map((row) => found.columns.map((name) => row[name])) };
}

const measuredCell = (cell: unknown): Pick<Measured, "value" | "exact"> =>
  measuredNumber(numberOf(cell) ?? (cell === null || cell === undefined ? null : Number(cell)));
