import type { Request, Rowhouse, Visit } from "rowhouse/plugin-api";
import type { TableContext } from "rowhouse/plugin-api/contracts";
import { queryPairs, without } from "rowhouse/plugin-api/http";
import { formPair } from "./filter-form.js";
import { ownPath } from "./links.js";
import { visibleName } from "./row-table.js";

/** Check boxes for more columns would be a large part of the page. They are a list of options, in which none means all. */
const MOST_BOXES = 300;
const SIZES = [20, 50, 100, 200, 500, 1000];

/** The form that chooses columns and the number of rows of a page, with the arguments that it keeps. */
export function columnsForm({ rowhouse, request }: Visit, facts: TableContext) {
  const known = new Set(facts.table.columns.map(({ name }) => name));
  const shown = facts.columns.map(({ name }) => name).filter((name) => known.has(name));
  const all = facts.filterColumns.filter((name) => known.has(name));
  const listed = [...new Set([...shown, ...all])];
  // Settings of the plugin that reads the rows, which another one may replace.
  const most = numberSetting(rowhouse, "max_returned_rows", 1000);
  const size = Number(request.query.get("_size") ?? "") || numberSetting(rowhouse, "default_page_size", 100);
  const sizes = [...new Set([...SIZES.filter((one) => one <= most), Math.min(size, most)])];
  const isLong = listed.length > MOST_BOXES;
  // An option says nothing about the columns that the address takes out.
  const replaced = isLong ? ["_col"] : ["_col", "_nocol"];
  const choice = { listed, shown: new Set(shown), keys: new Set(facts.table.primaryKeys) };
  return {
    columns_form: {
      action: ownPath(rowhouse, request),
      hidden: without(queryPairs(request), ...replaced, "_size", "_next").map(formPair),
      is_long: isLong,
      columns: isLong ? columnOptions(choice, request) : columnBoxes(choice),
      sizes: sizes.toSorted((one, other) => one - other).map((rows) => ({ rows, is_chosen: rows === size })),
    },
  };
}

interface ColumnChoice {
  readonly listed: readonly string[];
  readonly shown: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

const columnBoxes = ({ listed, shown, keys }: ColumnChoice) =>
  listed.map((name) => ({
    name,
    label: visibleName(name),
    is_shown: shown.has(name),
    is_key: keys.has(name),
  }));

function columnOptions({ listed, shown, keys }: ColumnChoice, { query }: Request) {
  const takenOut = new Set(query.getAll("_nocol"));
  return listed
    .filter((name) => !keys.has(name) && !takenOut.has(name))
    .map((name) => ({ name, label: visibleName(name), is_shown: query.has("_col") && shown.has(name) }));
}

const numberSetting = ({ settings }: Rowhouse, name: string, otherwise: number): number =>
  Number(settings.get(name)?.value ?? otherwise);
