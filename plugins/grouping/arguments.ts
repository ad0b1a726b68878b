import { BadRequest, type Request, type Table } from "rowhouse/plugin-api";
import { tildeDecode } from "rowhouse/plugin-api/http";
import type { DateStep, Dialect } from "rowhouse/plugin-api/engine";

/** A column by whose values rows are grouped, a step of its dates, or intervals of its numbers. */
export interface Group {
  /** The name of the result column: `genre_id`, `date(added,month)`, `interval(price,10)`. */
  readonly name: string;
  readonly column: string;
  readonly step: DateStep | null;
  /** The width of the intervals; null for other groups. */
  readonly width: number | null;
}

/** The lengths of time by which dates can be grouped. */
const DATE_STEPS: readonly DateStep[] = ["year", "quarter", "month", "week", "day", "hour"];

const FUNCTIONS = ["count", "sum", "avg", "min", "max"] as const;

/** A value that is computed for each group. */
export interface Aggregate {
  /** The name of the result column: `count`, `sum(price)`, `count(distinct director_id)`. */
  readonly name: string;
  readonly function: (typeof FUNCTIONS)[number];
  /** Null counts rows. */
  readonly column: string | null;
  readonly distinct: boolean;
}

/** What a request asks for. */
export interface Grouping {
  readonly groups: readonly Group[];
  readonly aggregates: readonly Aggregate[];
  /** Positions of result columns, from 0, with their directions. */
  readonly order: readonly { readonly place: number; readonly descending: boolean }[];
}

/** Each of them is an expression that the engine computes for each row. */
const MOST_TERMS = 32;

/**
 * Parses `_group`, `_agg` and `_order`. Names of columns are tilde-encoded, so that they contain no comma or parenthesis.
 *
 * @throws BadRequest for unknown functions, steps and columns
 */
export function readGrouping({ query }: Request, table: Table, dialect: Dialect): Grouping {
  const groups = distinct(listOf(query.getAll("_group")).map((text) => readGroup(text, table, "_group")));
  if (dialect.interval === undefined && groups.some(({ width }) => width !== null)) {
    throw new BadRequest("_group: this database has no intervals");
  }
  const asked = listOf(query.getAll("_agg")).map((text) => readAggregate(text, table));
  const aggregates = distinct(asked.length === 0 ? [COUNT] : asked).map((one) => withFreeName(one, groups));
  if (groups.length + aggregates.length > MOST_TERMS) {
    throw new BadRequest(`_group and _agg take at most ${MOST_TERMS} columns together`);
  }
  return { groups, aggregates, order: readOrder(query, [...groups, ...aggregates]) };
}

const COUNT: Aggregate = { name: "count", function: "count", column: null, distinct: false };

/** The parts of lists that are separated by commas outside of parentheses. Empty parts come from forms. */
const listOf = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => text.match(/(?:\([^()]*\)|[^,])+/g) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== "");

const distinct = <Term extends { readonly name: string }>(terms: readonly Term[]): readonly Term[] => [
  ...new Map(terms.map((term) => [term.name, term])).values(),
];

/** One term of `_group`. @throws BadRequest for unknown steps and columns, naming the argument */
export function readGroup(text: string, table: Table, argument: string): Group {
  const [, numbers, given = ""] = /^interval\(([^(),]+),([^()]*)\)$/.exec(text) ?? [];
  if (numbers !== undefined) {
    const column = columnNamed(numbers, table, argument);
    const width = readWidth(text, given.trim(), argument);
    return { name: `interval(${column},${width})`, column, step: null, width };
  }
  const [, dated, wanted = ""] = /^date\(([^(),]+),\s*(\w+)\)$/.exec(text) ?? [];
  if (dated === undefined) {
    const column = columnNamed(text, table, argument);
    return { name: column, column, step: null, width: null };
  }
  const column = columnNamed(dated, table, argument);
  const step = DATE_STEPS.find((one) => one === wanted);
  if (step === undefined) {
    throw new BadRequest(`${argument}=${text} - the step of a date is one of ${DATE_STEPS.join(", ")}`);
  }
  return { name: `date(${column},${step})`, column, step, width: null };
}

/** Twice this width is a 64-bit integer. */
const GREATEST_WIDTH = 1e18;

/** Widths are exact as numbers: 17 digits may not be, unless they end in zeros. */
function readWidth(text: string, given: string, argument: string): number {
  const width = /^(?:\d{1,19}|\d{1,9}\.\d{1,6})$/.test(given) ? Number(given) : 0;
  const isExact = given.includes(".") || String(width) === given.replace(/^0+/, "");
  if (width > 0 && width <= GREATEST_WIDTH && isExact) return width;
  throw new BadRequest(
    `${argument}=${text} - the width of intervals is a number above 0 and up to 1e18, such as 10 or 0.5`,
  );
}

function readAggregate(text: string, table: Table): Aggregate {
  if (text === "count" || text === "count(*)") return COUNT;
  const [, name, only, encoded = ""] = /^(\w+)\((distinct\s)?([^()]+)\)$/.exec(text) ?? [];
  const known = FUNCTIONS.find((one) => one === name);
  if (known === undefined || (only !== undefined && known !== "count")) {
    throw new BadRequest(
      `_agg=${text} - use count, count(column), count(distinct column), sum(column), avg(column), min(column) or max(column)`,
    );
  }
  const column = columnNamed(encoded.trim(), table, "_agg");
  const inside = only === undefined ? column : `distinct ${column}`;
  return { name: `${known}(${inside})`, function: known, column, distinct: only !== undefined };
}

function columnNamed(encoded: string, { columns }: Table, argument: string): string {
  const column = tildeDecode(encoded);
  if (!columns.some(({ name, hidden }) => name === column && !hidden))
    throw new BadRequest(`${argument}=${encoded} - invalid column`);
  return column;
}

/** A table may have a column `count`. */
const withFreeName = (one: Aggregate, groups: readonly Group[]): Aggregate =>
  groups.some(({ name }) => name === one.name) ? { ...one, name: `${one.name}(*)` } : one;

/**
 * `_order`, or else `_sort` or `_sort_desc`: result columns by name. The groups come last, in ascending order, so that the
 * order of groups is always the same.
 */
function readOrder(query: URLSearchParams, results: readonly { readonly name: string }[]): Grouping["order"] {
  const texts = listOf([query.get("_order") ?? ""]);
  const sorted = query.get("_sort") ?? "";
  const sortedDesc = query.get("_sort_desc") ?? "";
  const asked = [
    ...texts.map((text) => ({
      name: tildeDecode(text.replace(/^-/, "")),
      descending: text.startsWith("-"),
    })),
    ...(texts.length === 0 && sorted !== "" ? [{ name: sorted, descending: false }] : []),
    ...(texts.length === 0 && sortedDesc !== "" ? [{ name: sortedDesc, descending: true }] : []),
  ].map(({ name, descending }) => {
    const place = results.findIndex((one) => one.name === name);
    if (place === -1) throw new BadRequest(`Cannot sort groups by ${name}`);
    return { place, descending };
  });
  const others = results.map((_, place) => ({ place, descending: false }));
  return [...asked, ...others.filter(({ place }) => !asked.some((one) => one.place === place))];
}
