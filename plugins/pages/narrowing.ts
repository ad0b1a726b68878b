import { withQuery, type MenuItem, type Page, type Visit } from "rowhouse/plugin-api";
import type { TableContext } from "rowhouse/plugin-api/contracts";
import { shortText, type Translator } from "rowhouse/plugin-api/html";
import { Labelled, QueryLinks, queryPairs, TimeSlices, without } from "rowhouse/plugin-api/http";
import { operatorLabel } from "./filter-form.js";
import { changed, ownPath } from "./links.js";

/** A filter or search of the page, with the link that removes it; null if the links would be too long. */
export interface Chip {
  readonly text: string;
  readonly remove_url: string | null;
}

const LONGEST_TEXT = 60;

/** The filters and searches of a page as a list, in slices: each of hundreds has a link that repeats the others. */
export async function chipsOf(
  page: Page,
  { rowhouse, request }: Visit,
  facts: TableContext,
  t: Translator["t"],
): Promise<readonly Chip[]> {
  const links = new QueryLinks(ownPath(rowhouse, request), without(queryPairs(request), "_next"));
  const sent = queryPairs(request);
  const slices = new TimeSlices(request);
  const filters: Chip[] = [];
  for (const { column, op, value } of facts.filters) {
    const operator = facts.operators.find(({ name }) => name === op);
    const names = op === "exact" ? [column, `${column}__exact`] : [`${column}__${op}`];
    const pair = sent.find((one) => names.includes(one[0]) && one[1] === value);
    const text = value === "" ? t("row.blank") : (labelIn(page, column, value) ?? value);
    const shown = operator?.takesValue === false ? "" : ` ${text}`;
    filters.push({
      text: shortened(`${column} ${operator === undefined ? op : operatorLabel(operator, t)}${shown}`),
      remove_url: pair === undefined ? null : links.without([pair]),
    });
    if (slices.isOver) await slices.next();
  }
  const searches = sent
    .filter(([name, value]) => name.startsWith("_search") && name !== "_searchmode" && value !== "")
    .map((pair): Chip => ({
      text: shortened(t("table.search_for", { text: pair[1] })),
      remove_url: links.without([pair]),
    }));
  const conditions: Chip[] = [];
  for (const { text, argument } of facts.conditions) {
    conditions.push({ text: shortened(text), remove_url: links.without([argument]) });
    if (slices.isOver) await slices.next();
  }
  return [...searches, ...filters, ...conditions];
}

const shortened = (text: string): string => shortText(text, LONGEST_TEXT);

/** The label of a foreign key that the rows of the page show. */
function labelIn({ rows }: Page, column: string, value: string): string | null {
  const place = rows?.columns.indexOf(column) ?? -1;
  for (const row of rows?.cells ?? []) {
    const cell = row[place];
    if (cell instanceof Labelled && String(cell.value) === value && cell.label !== null)
      return String(cell.label);
  }
  return null;
}

/** `101 to 200 of 20,000`, as far as it is known. */
export function positionText(
  { count, countIsEstimate, countIsPending, firstRow, nextUrl }: TableContext,
  shown: number,
  { t }: Translator,
): string {
  const isAll = firstRow === 1 && nextUrl === null;
  if (isAll) return t("home.rows", { count: countIsEstimate ? shown : (count ?? shown) });
  const range =
    firstRow === null
      ? t("home.rows", { count: shown })
      : t("table.from_to", { first: firstRow, last: firstRow + shown - 1 });
  if (countIsPending) return t("table.of_pending", { range });
  if (count === null) return range;
  return countIsEstimate ? t("table.of_about", { range, count }) : t("table.of", { range, count });
}

/** Filters and order in the language of the reader. English is the published `human_description_en`. */
export function descriptionOf(
  { humanDescription, order }: TableContext,
  chips: readonly Chip[],
  { language, t }: Translator,
): string {
  if (language === "en" || humanDescription === "") return humanDescription;
  const columns = order.map(({ column, descending }) =>
    descending ? t("table.column_descending", { column }) : column,
  );
  return [
    ...(chips.length > 0 ? [t("table.where", { filters: chips.map(({ text }) => text).join(", ") })] : []),
    ...(columns.length > 0 ? [t("table.sorted_by", { columns: columns.join(", ") })] : []),
  ].join(", ");
}

interface Offer {
  readonly href: string;
  readonly label: string;
  readonly main: boolean;
}

/** The links of a page without rows: fewer filters, or the actions that add rows. */
export function emptyOffers(
  { rowhouse, request }: Visit,
  { isNarrowed, actions }: { readonly isNarrowed: boolean; readonly actions: readonly MenuItem[] },
  t: Translator["t"],
): readonly Offer[] {
  if (isNarrowed) {
    const searched = request.query.get("_search") ?? "";
    const hasMore = [...request.query.keys()].some((name) => !name.startsWith("_"));
    return [
      { href: ownPath(rowhouse, request), label: t("table.show_all"), main: true },
      ...(searched !== "" && hasMore
        ? [
            {
              href: withQuery(ownPath(rowhouse, request), [["_search", searched]]),
              label: t("table.search_all", { text: shortened(searched) }),
              main: false,
            },
          ]
        : []),
    ];
  }
  if (request.query.has("_next")) {
    return [{ href: changed(rowhouse, request, ["_next"]), label: t("table.first_page"), main: true }];
  }
  return addingOffers(actions);
}

/** The actions that add rows or tables. */
export function addingOffers(actions: readonly MenuItem[]): readonly Offer[] {
  const adding = actions.flatMap((item) => ("href" in item && item.addsRows === true ? [item] : []));
  return adding.map(({ href, label }, index) => ({ href, label, main: index === 0 }));
}
