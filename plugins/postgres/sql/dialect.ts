import { quoteIdentifier, type Column } from "rowhouse/plugin-api";
import type { ArrayTests, ColumnOf, Dialect, TextSearch } from "rowhouse/plugin-api/engine";
import { quoteText, resolveEscapeFts } from "rowhouse/plugin-api/sql";
import { postgresDefinitions } from "./definitions.js";
import { isDeterministic } from "./deterministic.js";
import { dayOf } from "./days.js";
import { dateStep, interval } from "./group-steps.js";
import {
  addressedValue,
  comparedColumn,
  comparedOperand,
  declared,
  filterCondition,
  jsonOf,
  keyCondition,
  arrayOrEmpty,
  withoutDomain,
} from "./filters.js";
import { publishedIdentifier } from "./identifiers.js";
import { refusal } from "./refused-functions.js";
import { comparedValue, insertRows, packedRows, storedValue, upsertRows } from "./row-writes.js";
import { tokenize } from "./tokens.js";
import { columnFamily, hasExtremes, hasOrder, valueType, type TypeFamily } from "./types.js";

/** The SQL of PostgreSQL where engines differ. */
export const postgresDialect: Dialect = {
  language: "postgres",
  quoteIdentifier,
  publishedIdentifier,
  never: "false",
  definitions: postgresDefinitions,
  versionStatement: "select version()",
  parameters: (sql) =>
    tokenize(sql)
      .filter(({ kind, text }) => kind === "parameter" && !text.startsWith("$"))
      .map(({ text }) => text),
  refusal,
  isDeterministic,
  tablesOfAttached: () => "select tablename from pg_tables",
  limit: (count, offset) => ` limit ${count}${offset === undefined ? "" : ` offset ${offset}`}`,
  // A subquery with OFFSET is planned by itself: conditions around it are not moved into it.
  barrier: (select, name) => `(${select} offset 0) as ${quoteIdentifier(name)}`,
  expandFunctions: resolveEscapeFts,
  filter: filterCondition,
  equalsKey: keyCondition,
  comparedColumn,
  comparedValue,
  addressedValue,
  orderValue,
  orderTerm(column, descending) {
    const term = orderValue(column);
    // Without NULLS, an index on the column gives the order.
    if (declared(column)?.notNull === true) return `${term}${descending ? " desc" : ""}`;
    return `${term}${descending ? " desc nulls last" : " nulls first"}`;
  },
  indexedOrderTerm(column, descending) {
    const found = declared(column);
    if (found === undefined || found.notNull || !hasOrder(found)) return null;
    const isIndexed = column.table.indexes.some(
      ({ columns, partial, sql }) => columns[0] === found.name && !partial && DEFAULT_ORDER.test(sql ?? ""),
    );
    return isIndexed ? `${orderValue(column)}${descending ? " desc" : ""}` : null;
  },
  keyComparison(table, columns, operator) {
    const found = columns.map((name) => declared({ table, name }));
    if (!found.every((column) => column === undefined || hasOrder(column)))
      return recordComparison(columns, found, operator);
    const names = columns.map((name, index) => withoutDomain(publishedIdentifier(name), found[index]));
    const values = columns.map((_, index) => `:p${index}`);
    return names.length === 1
      ? `${names.join()} ${operator} ${values.join()}`
      : `(${names.join(", ")}) ${operator} (${values.join(", ")})`;
  },
  tieBreaker({ kind, columns, primaryKeys, rowidName, inheritingTables, sharesPlaces = false }) {
    // Rows of tables that inherit may have the same key.
    if (inheritingTables === undefined && (rowidName !== null || primaryKeys.length > 0)) return rowidName;
    // Rows of a view have no place: all of their values decide.
    if (kind === "view" || sharesPlaces) {
      const terms = columns.map(
        (column) => `${comparable(publishedIdentifier(column.name), column)} nulls first`,
      );
      return terms.length === 0 ? null : terms.join(", ");
    }
    // The place of a row in the file: unique, and the same while a snapshot lasts.
    return "ctid";
  },
  valuesOf: ({ fromWhere }, column) => `(select ${publishedIdentifier(column)} as value ${fromWhere})`,
  comparable,
  mean,
  number,
  bytesOf: (expression) => `convert_to(cast(${expression} as text), 'UTF8')`,
  dayOf,
  dateStep,
  interval,
  resembles: (expression, parameter) =>
    `cast(${expression} as text) collate "default" ilike :${parameter} escape '\\'`,
  resemblesDay: (expression, column) =>
    familyOrOther(column) === "text"
      ? `cast(${expression} as text) collate "C" ~ '^....-..-'`
      : `${dayOf(expression, column)} is not null`,
  arrayElements,
  arrayTests,
  searchForPrefixes: (_index, words) => words.map((word) => `${quoteText(word)}:*`).join(" & "),
  packedRows,
  insertRows,
  upsertRows,
  storedValue,
  fullTextMatch,
};

/** An index that does not name the place of NULL has it after the values. */
const DEFAULT_ORDER = /^(?!.* NULLS (?:FIRST|LAST)).* USING btree /s;

const NUMBERS: ReadonlySet<TypeFamily> = new Set(["integer", "numeric", "float"]);

const familyOrOther = (column: Column | undefined): TypeFamily =>
  column === undefined ? "other" : columnFamily(column);

/** Types such as `json`, `boolean` and `uuid` have no order, or no `min` and `max`. */
function comparable(expression: string, column: Column | undefined): string {
  return column !== undefined && hasExtremes(column)
    ? withoutDomain(expression, column)
    : `cast(${expression} as text)`;
}

/** A boolean is 1 or 0, as in SQLite. */
function number(expression: string, column: Column | undefined): string {
  const family = familyOrOther(column);
  if (family === "boolean") return `cast(${expression} as integer)`;
  const type = column === undefined ? null : valueType(column);
  // Object identifiers have no sum, and amounts of money no mean.
  if (type === "oid") return `cast(${expression} as bigint)`;
  if (type === "money") return `cast(${expression} as numeric)`;
  return NUMBERS.has(family) || type === "interval" ? expression : "cast(null as numeric)";
}

/**
 * `avg` computes squares too, so that it fails for floating-point numbers whose sum and mean are still in range. The sum of
 * large ones may be out of range while their mean is not: they are added as decimals.
 */
function mean(expression: string, column: Column | undefined): string {
  if (familyOrOther(column) !== "float") return `avg(${number(expression, column)})`;
  const value = `cast(${expression} as double precision)`;
  const large = `(abs(${value}) > 1e290 and abs(${value}) < 'infinity')`;
  const rows = `nullif(count(${expression}), 0)`;
  // The text has all digits; a direct cast rounds to 15 of them.
  const decimals = `sum(cast(cast(${value} as text) as numeric)) filter (where ${large})`;
  return (
    `coalesce(sum(${value}) filter (where ${large} is not true), 0) / ${rows} + ` +
    `coalesce(cast(${decimals} / ${rows} as double precision), 0)`
  );
}

/** The column itself, so that an index gives the order; as text if its type has no order. */
function orderValue(column: ColumnOf): string {
  return comparedOperand(publishedIdentifier(column.name), declared(column));
}

/**
 * Types such as `hstore` have the order of ORDER BY, but no operator `>`: each is compared as a record. A record of all
 * columns would lack the collation of a column of text.
 */
function recordComparison(
  columns: readonly string[],
  found: readonly (Column | undefined)[],
  operator: ">" | "<=",
): string {
  const pairs = columns.map((name, index): readonly [string, string] => {
    const column = found[index];
    if (column === undefined || hasOrder(column))
      return [withoutDomain(publishedIdentifier(name), column), `:p${index}`];
    return [recordOf(publishedIdentifier(name)), recordOf(`cast(:p${index} as ${column.type})`)];
  });
  const steps = pairs.map(([name, value], index) => {
    const before = pairs.slice(0, index).map(([one, same]) => `${one} = ${same}`);
    const compared = index === pairs.length - 1 ? operator : operator.charAt(0);
    return [...before, `${name} ${compared} ${value}`].join(" and ");
  });
  return `(${steps.join(" or ")})`;
}

const recordOf = (value: string): string => `cast(row(${value}) as record)`;

function arrayElements(source: string, column: Column | undefined): string {
  const rows = `(select row_number() over () as row, value as list from ${source} as v) as lists`;
  return `(select distinct row, element as value from ${rows} cross join lateral ${elements("list", column)})`;
}

function elements(list: string, column: Column | undefined): string {
  const family = familyOrOther(column);
  if (family === "array") return `unnest(cast(${list} as text[])) as each(element)`;
  // The text of a range or a path begins like a JSON array too.
  const isText = column === undefined || family === "text";
  const json = family === "json" ? `cast(${list} as jsonb)` : isText ? jsonOf(list) : "cast(null as jsonb)";
  return `jsonb_array_elements_text(${arrayOrEmpty(json)}) as each(element)`;
}

function arrayTests(source: string, column: Column | undefined): ArrayTests {
  const family = familyOrOther(column);
  const filled = `from ${source} as v where value is not null`;
  if (family === "array") {
    return {
      others: "select 1 where false",
      types: `select 'array' ${filled} limit 1`,
      samples: `select cast(to_json(cast(value as text[])) as text) ${filled} and cardinality(value) > 0 limit 100`,
    };
  }
  if (family !== "json" && family !== "text")
    return {
      others: `select 1 ${filled} limit 1`,
      types: "select 1 where false",
      samples: "select 1 where false",
    };
  const text = "cast(value as text)";
  const notBlank = `${filled} and ${text} != ''`;
  return {
    others: `select 1 ${notBlank} and substr(ltrim(${text}), 1, 1) != '[' limit 1`,
    types: `select distinct jsonb_typeof(cast(${text} as jsonb)) ${notBlank}`,
    samples: `select ${text} ${notBlank} and jsonb_array_length(cast(${text} as jsonb)) > 0 limit 100`,
  };
}

function fullTextMatch({ index, column, parameter, raw }: TextSearch): string {
  const { vector = "", configuration = "simple" } = index.fullText ?? {};
  const language = `cast(${quoteText(configuration)} as regconfig)`;
  const query = raw
    ? `to_tsquery(${language}, :${parameter})`
    : `websearch_to_tsquery(${language}, escape_fts(:${parameter}))`;
  const searched =
    column === null
      ? publishedIdentifier(vector)
      : `to_tsvector(${language}, coalesce(cast(${publishedIdentifier(column)} as text), ''))`;
  return `${searched} @@ ${query}`;
}
