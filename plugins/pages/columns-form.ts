import type { Rowhouse, Visit } from "rowhouse/plugin-api";
import type { TableContext } from "rowhouse/plugin-api/contracts";
import { queryPairs, without } from "rowhouse/plugin-api/http";
import { formPair } from "./filter-form.js";
import { ownPath } from "./links.js";
import { visibleName } from "./row-table.js";

/** Tables with more columns have no list of them: the page would get too large. */
const MOST_LISTED = 300;
const SIZES = [20, 50, 100, 200, 500, 1000];

/** The form that chooses columns and the number of rows of a page, with the arguments that it keeps. */
export function columnsForm(rowhouse: Rowhouse, { request }: Visit, facts: TableContext) {
  const known = new Set(facts.table.columns.map(({ name }) => name));
  const keys = new Set(facts.table.primaryKeys);
  const shown = facts.columns.map(({ name }) => name).filter((name) => known.has(name));
  const all = facts.filterColumns.filter((name) => known.has(name));
  const listed = [...new Set([...shown, ...all])];
  const isShown = new Set(shown);
  // Settings of the plugin that reads the rows, which another one may replace.
  const most = numberSetting(rowhouse, "max_returned_rows", 1000);
  const size = Number(request.query.get("_size") ?? "") || numberSetting(rowhouse, "default_page_size", 100);
  const sizes = [...new Set([...SIZES.filter((one) => one <= most), Math.min(size, most)])];
  return {
    columns_form:
      listed.length > MOST_LISTED
        ? null
        : {
            action: ownPath(rowhouse, request),
            hidden: without(queryPairs(request), "_col", "_nocol", "_size", "_next").map(formPair),
            columns: listed.map((name) => ({
              name,
              label: visibleName(name),
              is_shown: isShown.has(name),
              is_key: keys.has(name),
            })),
            sizes: sizes
              .toSorted((one, other) => one - other)
              .map((rows) => ({ rows, is_chosen: rows === size })),
          },
  };
}

const numberSetting = ({ settings }: Rowhouse, name: string, otherwise: number): number =>
  Number(settings.get(name)?.value ?? otherwise);
