import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Dialect, SelectedRows } from "rowhouse/plugin-api/engine";
import { resolveEscapeFts, sqlTokens } from "rowhouse/plugin-api/sql";
import { sqliteDefinitions } from "./definitions.js";
import { filterCondition, keyCondition } from "./filters.js";
import { refusal } from "./forbidden-pragmas.js";
import { dateStep, interval } from "./group-steps.js";
import { publishedIdentifier } from "./published-identifier.js";
import { convertedExactly } from "./exact-numbers.js";
import { insertRows, packedRows, upsertRows } from "./row-writes.js";

/**
 * Ends a subquery so that SQLite evaluates it separately. A subquery with OFFSET is never merged with the statement around
 * it (restriction 14 of SQLite's query flattener), and conditions of that statement are never pushed into a subquery
 * with LIMIT. `limit -1 offset 0` leaves no row out.
 */
const BARRIER = "limit -1 offset 0";

const VARYING =
  /random|'now|"now|'subsec|"subsec|current_(?:date|time)|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|strftime\s*\((?:\s*'[^']*'\s*|[^,()]*)\)|changes\s*\(|last_insert_rowid|pragma|sqlite_/i;

/** True if SQL calls no function of time, chance or the connection, and reads no facts about the schema. */
const isDeterministic = (sql: string): boolean => !VARYING.test(sql);

/** SQLite itself adds texts and BLOBs that begin with digits. */
const number = (expression: string): string =>
  `case when typeof(${expression}) in ('integer', 'real') then ${expression} end`;

/** The SQL of SQLite where engines differ. */
export const sqliteDialect: Dialect = {
  quoteIdentifier,
  publishedIdentifier,
  never: "0",
  definitions: sqliteDefinitions,
  versionStatement: "select sqlite_version()",
  parameters: (sql) =>
    sqlTokens(sql)
      .filter(({ kind }) => kind === "parameter")
      .map(({ text }) => text),
  refusal,
  isDeterministic,
  tablesOfAttached: (name) => `select * from ${publishedIdentifier(name)}.sqlite_master where type = 'table'`,
  limit: (count, offset) => ` limit ${count}${offset === undefined ? "" : ` offset ${offset}`}`,
  barrier: (select, name) => `(${select} ${BARRIER}) as ${quoteIdentifier(name)}`,
  expandFunctions: resolveEscapeFts,
  filter: filterCondition,
  equalsKey: keyCondition,
  comparedColumn: ({ name }) => publishedIdentifier(name),
  comparedValue: (_column, placeholder) => placeholder,
  addressedValue: convertedExactly,
  orderValue: ({ name }) => publishedIdentifier(name),
  orderTerm: ({ name }, descending) => `${publishedIdentifier(name)}${descending ? " desc" : ""}`,
  keyComparison,
  tieBreaker: ({ rowidName }) => rowidName,
  valuesOf,
  comparable: (expression) => expression,
  mean: (expression) => `avg(${number(expression)})`,
  number,
  bytesOf: (expression) => `cast(${expression} as blob)`,
  dayOf: (expression) => `date(${expression})`,
  dateStep,
  interval,
  resembles: (expression, parameter) => `${expression} like :${parameter} escape '\\'`,
  resemblesDay: (expression) => `${expression} glob '????-??-*'`,
  arrayElements: (source) =>
    `(select distinct row, cast(each.value as text) as value from ` +
    `(select row_number() over () as row, value as list from ${source}) ` +
    `join json_each(nullif(list, '')) as each)`,
  arrayTests(source) {
    const notBlank = `from ${source} where value is not null and value != ''`;
    return {
      others: `select 1 ${notBlank} and substr(ltrim(value), 1, 1) != '[' limit 1`,
      types: `select distinct json_type(value) ${notBlank}`,
      samples: `select value ${notBlank} and json_array_length(value) > 0 limit 100`,
    };
  },
  // FTS5 has the star after the quotes, its predecessors inside of them.
  searchForPrefixes: ({ module }, words) =>
    words.map((word) => (/^fts5/i.test(module ?? "") ? `"${word}" *` : `"${word}*"`)).join(" "),
  packedRows,
  insertRows,
  upsertRows,
  storedValue: (_column, parameter) => parameter,
  fullTextMatch({ index, column, key, parameter, raw }) {
    const text = raw ? `:${parameter}` : `escape_fts(:${parameter})`;
    const matched = publishedIdentifier(column ?? index.name);
    const rows = `select rowid from ${publishedIdentifier(index.name)} where ${matched} match ${text}`;
    return `${publishedIdentifier(key)} in (${rows})`;
  },
};

function keyComparison(
  { primaryKeys }: { readonly primaryKeys: readonly string[] },
  columns: readonly string[],
  operator: ">" | "<=",
) {
  if (primaryKeys.length === 0) return `rowid ${operator} :p0`;
  const names = columns.map(publishedIdentifier);
  const steps = names.map((name, index) => {
    const before = names.slice(0, index).map((one, place) => `${one} = :p${place}`);
    const compared = index === names.length - 1 ? operator : operator.charAt(0);
    return `(${[...before, `${name} ${compared} :p${index}`].join(" and ")})`;
  });
  return `(${steps.join("\n  or\n")})`;
}

function valuesOf({ columns, fromWhere }: SelectedRows, column: string): string {
  const name = publishedIdentifier(column);
  if (new Set(columns).size === columns.length) return `(select ${name} as value ${fromWhere})`;
  // SQLite renames the second of two equal column names to `name:1`, but only if both are selected.
  const all = columns.map(publishedIdentifier).join(", ");
  return `(select ${name} as value from (select ${all} ${fromWhere}))`;
}
