import type { Translator } from "rowhouse/plugin-api/html";
import { escapedBytes, type Pair } from "rowhouse/plugin-api/http";
import type { Visit } from "rowhouse/plugin-api";
import type { TableContext } from "rowhouse/plugin-api/contracts";
import { ownPath } from "./links.js";

type Filter = TableContext["filters"][number];

interface FilterRow {
  /** `_1` for the first active filter; empty for the row that adds one. */
  readonly suffix: string;
  readonly column: string;
  readonly op: string;
  readonly value: string;
  /** The column menu. */
  readonly columns: readonly string[];
  readonly operators: readonly Operator[];
}

type Operator = TableContext["operators"][number];

/**
 * Each filter has menus of all columns and operators. Beyond this number of entries, only the value of a filter can be
 * changed, and it can be removed.
 */
const MOST_MENU_ENTRIES = 3_000;

/** A filter may name a column that does not exist. The menu must contain it too. */
const withColumn = (columns: readonly string[], names: ReadonlySet<string>, column: string) =>
  names.has(column) ? columns : [column, ...columns];

const IN_FORMS: Readonly<Record<string, string>> = { exact: "in", not: "notin" };

/** Forms send only text. A filter by bytes that are not UTF-8 becomes the operator that accepts base64. */
function formFilter(filter: Filter): Filter {
  const bytes = escapedBytes(filter.value);
  const op = IN_FORMS[filter.op];
  return bytes === null || op === undefined ? filter : { ...filter, op, value: base64List(bytes) };
}

const base64List = (bytes: Uint8Array): string =>
  JSON.stringify([{ $base64: true, encoded: Buffer.from(bytes).toString("base64") }]);

/** An argument in the form in which HTML forms can send it. */
export function formPair([name, value]: Pair): Pair {
  if (escapedBytes(value) === null) return [name, value];
  const at = name.lastIndexOf("__");
  if (name.startsWith("_") && at === -1) return [name, value];
  const [column, op] = at === -1 ? [name, "exact"] : [name.slice(0, at), name.slice(at + 2)];
  const filter = formFilter({ column, op, value });
  return filter.op === op ? [name, value] : [`${column}__${filter.op}`, filter.value];
}

/** Operators of plugins may have no text in the catalogue. */
export function operatorLabel({ name, label }: Operator, t: Translator["t"]): string {
  const key = `operator.${name}`;
  const text = t(key);
  return text === key ? label : text;
}

/** The context of the filter form of a table page. */
export function filterForm({ rowhouse, request }: Visit, facts: TableContext, t: Translator["t"]) {
  const columns = facts.filterColumns;
  const names = new Set(columns);
  const operators = facts.operators.map((operator) => ({ ...operator, label: operatorLabel(operator, t) }));
  const withMenus = Math.floor(MOST_MENU_ENTRIES / Math.max(1, columns.length + operators.length));
  const active = facts.filters.map((filter, index): FilterRow => {
    const shown = formFilter(filter);
    return {
      ...shown,
      suffix: `_${index + 1}`,
      columns: index >= withMenus ? [filter.column] : withColumn(columns, names, filter.column),
      operators: index >= withMenus ? operators.filter(({ name }) => name === shown.op) : operators,
    };
  });
  const path = ownPath(rowhouse, request);
  const sortable = facts.columns.filter((column) => column.sortable).map(({ name }) => name);
  // The page may be sorted by a column that it does not show. The column of the default order may not be sortable.
  const requested = request.query.get("_sort") || request.query.get("_sort_desc");
  return {
    form_action: path,
    allow_facet: rowhouse.settings.get("allow_facet")?.value === true,
    allow_groups: rowhouse.routes.some(({ name }) => name === "groups"),
    filter_rows: [...active, { suffix: "", column: "", op: "", value: "", columns, operators }],
    search: facts.search ?? "",
    searchable: facts.searchable ?? false,
    sort_choices: requested ? withColumn(sortable, new Set(sortable), requested) : sortable,
    sorted_by: facts.sortDesc ?? facts.sort,
    sorted_descending: facts.sortDesc !== null,
    reset_url: facts.humanDescription === "" ? null : path,
  };
}
