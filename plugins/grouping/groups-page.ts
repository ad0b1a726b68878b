import {
  html,
  pageReply,
  withQuery,
  type Html,
  type Reply,
  type SqlValue,
  type Table,
} from "rowhouse/plugin-api";
import { isAddressable, isNumber, plainValue, selectingArgument } from "rowhouse/plugin-api/engine";
import { shortJson, shortText, type Translator } from "rowhouse/plugin-api/html";
import { Labelled, QueryLinks, queryPairs, without, type Cell, type Pair } from "rowhouse/plugin-api/http";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { groupForm, OWN_ARGUMENTS } from "./group-form.js";
import type { Group } from "./arguments.js";
import { inGroup } from "./in-group.js";
import type { GroupPlan, GroupResults } from "./plan.js";
import { tOf, translatorOf } from "./texts.js";

/** The groups as a page, each with a link to its rows, and the form that changes them. */
export function groupsPage(plan: GroupPlan, results: GroupResults): Promise<Reply> {
  const { visit, selection } = plan;
  const database = selection.database.name;
  const table = selection.table.name;
  return pageReply(visit, {
    template: "groups.html",
    title: `${table} ${byGroups(plan)}`,
    content: markup(plan, results),
    context: { columns: plan.columns, rows: results.rows.cells, is_translated: true },
    database,
    table,
  });
}

function byGroups({ visit, grouping: { groups } }: GroupPlan): string {
  const t = tOf(visit);
  if (groups.length === 0) return t("group.in_numbers");
  return t("group.by", { names: groups.map(({ name }) => name).join(", ") });
}

/** The title of the table in the metadata, otherwise its name. */
function titleOf({ visit, selection: { database, table } }: GroupPlan): string {
  const { title } = currentMetadata(visit.rowhouse).table(database.name, table.name);
  return typeof title === "string" && title !== "" ? title : table.name;
}

function markup(plan: GroupPlan, results: GroupResults): Html {
  const t = tOf(plan.visit);
  const { description } = plan;
  const { rows, count } = results;
  const shown = rows.cells ?? [];
  const counted = count === null ? null : t("group.count", { count });
  return html`
    <div class="page-heading"><h1 dir="auto">${titleOf(plan)} ${byGroups(plan)}</h1></div>
    ${groupForm(plan)}
    <p class="data-links">
      <span class="figures" dir="auto"
        >${[counted, description].filter((part) => part !== null && part !== "").join(" ")}</span
      >
      <span
        >${t("group.data_as")} <a href="${inFormat(plan, "json")}">json</a>,
        <a href="${inFormat(plan, "csv")}">CSV</a></span
      >
      <a href="${rowsUrl(plan)}">${t("group.all_rows")}</a>
    </p>
    ${
      shown.length === 0 && results.previousUrl === null
        ? html`<p class="empty">
            <strong>${t("group.none")}</strong> ${t("group.none_fits")}
            <a href="${plan.visit.rowhouse.urls.path(plan.visit.request.path)}">${t("group.show_all")}</a>.
          </p>`
        : rowsTable(plan, shown)
    }
    ${paging(plan, results)}
  `;
}

function paging({ visit }: GroupPlan, { previousUrl, nextUrl }: GroupResults): Html | false {
  const t = tOf(visit);
  if (previousUrl === null && nextUrl === null) return false;
  return html`<p class="paging">
    ${previousUrl !== null && html`<a class="button quiet" href="${previousUrl}" rel="prev">${t("group.previous_page")}</a>`}
    ${nextUrl !== null && html`<a class="button quiet" href="${nextUrl}" rel="next">${t("group.next_page")}</a>`}
  </p>`;
}

function rowsTable(plan: GroupPlan, rows: readonly (readonly Cell[])[]): Html {
  const t = tOf(plan.visit);
  const { columns, grouping } = plan;
  const groups = grouping.groups.length;
  const { language } = translatorOf(plan.visit);
  const numbers = columns.map((_name, place) =>
    rows.map((row) => plainValue(row[place] ?? null)).filter(isNumber),
  );
  const writers = numbers.map((values) => columnWriter(values, language));
  const { rowhouse, request } = plan.visit;
  const kept = without(queryPairs(request), ...OWN_ARGUMENTS);
  const links = new QueryLinks(rowhouse.urls.path(request.path), kept);
  const kindOf = (place: number): string =>
    place >= groups && (numbers[place]?.length ?? 0) > 0 ? "numeric" : "";
  return html`<div class="table-wrapper" tabindex="0" role="region" aria-label="${t("group.groups")}">
    <table class="rows-and-columns">
      <thead>
        <tr>
          ${columns.map((_name, place) => heading(plan, place, kindOf(place)))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, place) => (place < groups ? groupCell({ plan, links }, row, place) : valueCell(cell, t, { kind: kindOf(place), write: writers[place] ?? String })))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The first column of the order is marked, as in tables of rows. `aria-sort` gives it to screen readers. */
function heading(plan: GroupPlan, place: number, kind: string): Html {
  const name = plan.columns[place] ?? "";
  const link = (mark: string): Html =>
    html`<a href="${sortUrl(plan, place)}" rel="nofollow"
      >${name}${mark !== "" && html`&nbsp;<span aria-hidden="true">${mark}</span>`}</a
    >`;
  const [first] = plan.grouping.order;
  if (first?.place !== place)
    return html`<th scope="col" class="${kind}" data-column="${name}">${link("")}</th>`;
  const direction = first.descending ? "descending" : "ascending";
  return html`<th scope="col" class="${kind}" data-column="${name}" aria-sort="${direction}">
    ${link(first.descending ? "▼" : "▲")}
  </th>`;
}

/** The groups of a page, and the links to their rows. */
interface LinkedGroups {
  readonly plan: GroupPlan;
  readonly links: QueryLinks;
}

function groupCell({ plan, links }: LinkedGroups, row: readonly Cell[], place: number): Html {
  const cell = row[place] ?? null;
  const t = tOf(plan.visit);
  const text = textOf(cell, t) || t("group.blank");
  const filters = place === 0 ? filtersOf(plan, row) : null;
  const href = filters === null ? null : links.with(...filters);
  const json = shortJson(text);
  const shown = cell === null ? "(null)" : (json ?? text);
  const title = json !== null && html` title="${text}"`;
  const unlinked = json === null ? shown : html`<span${title}>${shown}</span>`;
  const inside = href === null ? unlinked : html`<a href="${href}" rel="nofollow" ${title}>${shown}</a>`;
  // Cells keep the line breaks of their values, so there are none around them.
  return html`<td dir="auto">${folded(shown, inside)}</td>`;
}

/** Long texts are shown in a few lines until they are clicked or focused, as in tables. */
const folded = (text: string, markup: Html | string): Html | string =>
  text.length > MAX_UNFOLDED_LENGTH ? html`<div class="long" tabindex="0">${markup}</div>` : markup;

const MAX_UNFOLDED_LENGTH = 160;

/** The filters that select the rows of a group; null if there are none that select exactly these. */
function filtersOf(
  { grouping, selection: { table } }: GroupPlan,
  row: readonly Cell[],
): readonly Pair[] | null {
  const filters = grouping.groups.map((group, place) =>
    filterOf(table, group, plainValue(row[place] ?? null)),
  );
  return filters.every((filter) => filter !== null) ? filters : null;
}

function filterOf(table: Table, group: Group, value: SqlValue): Pair | null {
  // The bounds of a step or interval would also select values that are no dates or numbers.
  if (group.step !== null || group.width !== null) return inGroup(group, value);
  if (value === null) return [`${group.column}__isnull`, "1"];
  return isAddressable(value) ? selectingArgument(table, group.column, value) : null;
}

const rowsUrl = ({ visit: { rowhouse, request } }: GroupPlan): string =>
  withQuery(rowhouse.urls.path(request.path), without(queryPairs(request), ...OWN_ARGUMENTS));

/** Descending first for numbers, as the largest groups matter most. */
function sortUrl({ visit: { rowhouse, request }, columns, grouping }: GroupPlan, place: number): string {
  const name = columns[place] ?? "";
  const [first] = grouping.order;
  const descendsNow = first?.place === place && first.descending;
  const descends = place >= grouping.groups.length ? !descendsNow : first?.place === place && !descendsNow;
  const kept = without(queryPairs(request), "_sort", "_sort_desc", "_order", "_next");
  return withQuery(rowhouse.urls.path(request.path), [...kept, [descends ? "_sort_desc" : "_sort", name]]);
}

function inFormat({ visit: { rowhouse, request, target } }: GroupPlan, format: string): string {
  const path = rowhouse.urls.table(target.database.name, target.table.name, format);
  return withQuery(path, without(queryPairs(request), "_next"));
}

/** How a column is shown. */
interface ShownColumn {
  /** `numeric` for a column with numbers. */
  readonly kind: string;
  readonly write: WriteNumber;
}

/** A value with the stored number as its title, if it is written in another way. NULL is aligned as the numbers are. */
function valueCell(cell: Cell, t: Translator["t"], { kind, write }: ShownColumn): Html {
  if (cell === null) return html`<td class="type-none ${kind}"></td>`;
  const stored = textOf(cell, t);
  if (!isNumber(plainValue(cell))) return html`<td dir="auto">${folded(stored, stored)}</td>`;
  const number = exactNumber(plainValue(cell));
  const shown = number === null ? stored : write(number);
  return html`<td class="numeric type-float" ${shown !== stored && html`title="${stored}"`}>${shown}</td>`;
}

/** The number of a value; null for other values, and for numbers that a double does not hold. */
function exactNumber(value: SqlValue): number | bigint | null {
  if (!isNumber(value)) return null;
  if (typeof value === "bigint") return value;
  const isShort = !Number.isInteger(Number(value)) || Number.isSafeInteger(Number(value));
  return isShort && Number.isFinite(Number(value)) ? Number(value) : null;
}

/** Without the end of long texts: a page has up to a thousand of them. */
function textOf(cell: Cell, t: Translator["t"]): string {
  if (cell instanceof Uint8Array) return t("group.bytes", { count: cell.length });
  const value = cell instanceof Labelled ? (cell.label ?? plainValue(cell)) : cell;
  return shortText(String(value ?? ""), LONGEST_TEXT);
}

/** In characters. */
const LONGEST_TEXT = 2_000;

/** A number as the page shows it. */
type WriteNumber = (value: number | bigint) => string;

/** Thousands are separated in columns with a number from 10,000 on, as in tables: a year is `1984`. */
const FIVE_DIGITS = 10_000;
const FEWEST_DECIMALS = 2;
const MOST_DECIMALS = 10;

/**
 * How the numbers of a column are written: with the same decimals, of which the smallest has three digits that matter.
 *
 * @param language of the page
 */
function columnWriter(values: readonly SqlValue[], language: string): WriteNumber {
  const numbers = values.map(Number).filter((value) => Number.isFinite(value));
  const decimals = decimalsOf(numbers);
  return new Intl.NumberFormat(language, {
    useGrouping: numbers.some((value) => Math.abs(value) >= FIVE_DIGITS) ? "always" : "min2",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format;
}

function decimalsOf(numbers: readonly number[]): number {
  if (numbers.every(Number.isInteger)) return 0;
  const smallest = Math.min(...numbers.map(Math.abs).filter((number) => number > 0));
  const needed = 3 - Math.ceil(Math.log10(smallest));
  return Math.min(MOST_DECIMALS, Math.max(FEWEST_DECIMALS, needed));
}
