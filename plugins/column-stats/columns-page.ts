import {
  html,
  pageReply,
  type Column,
  type Html,
  type Page,
  type Reply,
  type Visit,
} from "rowhouse/plugin-api";
import { isNumber } from "rowhouse/plugin-api/engine";
import { queryPairs, QueryLinks } from "rowhouse/plugin-api/http";
import { statisticsOf, type ColumnStatistics, type FrequentValue, type ShownValue } from "./statistics.js";
import { tOf, translatorOf } from "./texts.js";
import {
  languageRules,
  numberFormats,
  shortText,
  shownNumber,
  type NumberFormat,
  type Translator,
} from "rowhouse/plugin-api/html";
import { currentMetadata } from "rowhouse/plugin-api/metadata";

type TableVisit = Visit<"table">;

interface Described {
  readonly column: Column;
  readonly statistics: ColumnStatistics | null;
}

/** Statistics of the columns that the actor may read, over the rows that match column filters. */
export async function columnsView(visit: TableVisit): Promise<Page | Reply> {
  const { rowhouse, request, target, format } = visit;
  const { database } = target;
  const filters = queryPairs(request).filter(([name]) => !name.startsWith("_"));
  const rows = rowhouse.service("tables").filtered(database, target.source, filters);
  const columns: Described[] = [];
  // Sequentially, so that a large table does not occupy every connection.
  for (const column of rows.table.columns.filter(({ hidden }) => !hidden)) {
    columns.push({ column, statistics: await statisticsOf({ rowhouse, request, database, rows }, column) });
  }
  if (format !== "html") return { name: "columns", data: documentOf(visit, columns), plain: true };
  return pageReply(visit, {
    template: "columns.html",
    title: tOf(visit)("stats.title", { table: target.table.name }),
    content: markup(visit, filters, columns),
    context: { columns, is_translated: true },
    database: database.name,
    table: target.table.name,
  });
}

const documentOf = (
  { target: { database, table } }: TableVisit,
  columns: readonly Described[],
): Page["data"] => ({
  ok: true,
  database: database.name,
  table: table.name,
  columns: columns.map(({ column: { name, type }, statistics }) => ({
    name,
    type,
    timed_out: statistics === null,
    ...(statistics !== null && {
      filled: statistics.filled,
      distinct: statistics.distinct,
      min: statistics.least,
      max: statistics.greatest,
      mean: statistics.mean,
      most_frequent: statistics.frequent.map(({ value, count }) => ({ value, count })),
    }),
  })),
});

type Pairs = readonly (readonly [string, string])[];

function markup(visit: TableVisit, filters: Pairs, columns: readonly Described[]): Html {
  const t = tOf(visit);
  return html`
    <h1 dir="auto">${t("stats.title", { table: visit.target.table.name })}</h1>
    ${filters.length > 0 && html`<p>${t("stats.where", { filters: filters.map(([name, value]) => `${name} = ${value}`).join(", ") })}</p>`}
    <div class="table-wrapper" tabindex="0" role="region" aria-label="${t("stats.columns")}">
      <table class="listing column-stats">
        <thead>
          <tr>
            ${HEADINGS.map((heading) => html`<th scope="col">${t(heading)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${columnRows(visit, filters, columns)}
        </tbody>
      </table>
    </div>
  `;
}

const HEADINGS = [
  "stats.column",
  "stats.filled",
  "stats.different",
  "stats.least",
  "stats.greatest",
  "stats.mean",
  "stats.frequent",
] as const;

/** The values link to the rows of the table, with the filters of this page and one more. */
function columnRows(visit: TableVisit, filters: Pairs, columns: readonly Described[]): readonly Html[] {
  const { database, table } = visit.target;
  const links = new QueryLinks(visit.rowhouse.urls.table(database.name, table.name), filters);
  return columns.map((one) => columnRow(visit, links, one));
}

function columnRow(visit: TableVisit, links: QueryLinks, { column, statistics }: Described): Html {
  const translator = translatorOf(visit);
  const { number, t } = translator;
  const head = html`<th scope="row" dir="auto">${column.name} <small>${column.type}</small></th>`;
  if (statistics === null)
    return html`<tr>
      ${head}
      <td colspan="6" class="hint">${t("stats.timed_out")}</td>
    </tr>`;
  const { filled, distinct, least, greatest, mean, frequent } = statistics;
  const texts = { ...translator, numbers: formatOf(visit, column, statistics) };
  const shownMean = mean === null ? "" : meanText(Number(mean), statistics, texts);
  const shownFrequent = distinct === filled ? "" : frequent.map((one) => frequentMarkup(links, one, texts));
  return html`<tr>
    ${head}
    <td data-label="${t("stats.filled")}">${number(filled)}</td>
    <td data-label="${t("stats.different")}">${number(distinct)}</td>
    <td data-label="${t("stats.least")}">${valueMarkup(least, texts)}</td>
    <td data-label="${t("stats.greatest")}">${valueMarkup(greatest, texts)}</td>
    <td data-label="${t("stats.mean")}">${shownMean}</td>
    <td data-label="${t("stats.frequent")}">${shownFrequent}</td>
  </tr>`;
}

/** How the values of a column are written. */
interface ValueTexts extends Translator {
  readonly numbers: NumberFormat | null;
}

/** The format of the numbers of a column, as in the rows of its table. */
function formatOf(
  visit: TableVisit,
  { name, primaryKeyPosition }: Column,
  { least, greatest, frequent }: ColumnStatistics,
): NumberFormat | null {
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const metadata = currentMetadata(rowhouse).table(database.name, table.name);
  const isKey = primaryKeyPosition > 0 || table.foreignKeys.some(({ columns }) => columns.includes(name));
  const values = [least, greatest, ...frequent.map(({ value }) => value)].filter(isNumber);
  const cells = values.map((value) => [value]);
  const { language } = translatorOf(visit);
  return numberFormats([{ name, isPrimaryKey: isKey }], { cells }, metadata, language)[0] ?? null;
}

/** Very small and very large means have an exponent, as the values beside them. */
function meanText(mean: number, statistics: ColumnStatistics, texts: ValueTexts): string {
  const { least, greatest } = statistics;
  if (isNumber(least) && isNumber(greatest) && Number(least) === Number(greatest)) return shown(least, texts);
  const { language, numbers } = texts;
  const digits = meanDigits(mean, statistics);
  const size = Math.abs(mean);
  return size === 0 || (size >= LEAST_WITHOUT_EXPONENT && size < LEAST_WITH_EXPONENT)
    ? mean.toLocaleString(language, {
        useGrouping: numbers?.isGrouped === true ? "min2" : false,
        maximumSignificantDigits: digits,
      })
    : Number(mean.toPrecision(digits)).toExponential().replace(".", languageRules(language).decimalPoint);
}

const USUAL_MEAN_DIGITS = 6;
/** So many digits spell a double exactly. */
const MOST_MEAN_DIGITS = 17;

/** More than six digits if with six the mean of close values would be less than all of them, or more. */
function meanDigits(mean: number, { least, greatest }: ColumnStatistics): number {
  const isOutside = (rounded: number): boolean =>
    (isNumber(least) && rounded < Number(least)) || (isNumber(greatest) && rounded > Number(greatest));
  let digits = USUAL_MEAN_DIGITS;
  while (digits < MOST_MEAN_DIGITS && isOutside(Number(mean.toPrecision(digits)))) digits += 1;
  return digits;
}

const LEAST_WITHOUT_EXPONENT = 1e-6;
const LEAST_WITH_EXPONENT = 1e15;

function frequentMarkup(
  links: QueryLinks,
  { value, count, argument }: FrequentValue,
  texts: ValueTexts,
): Html {
  const figures = html`<span class="figures">${texts.number(count)}</span>`;
  const href = argument === null ? null : links.with(argument);
  return href === null
    ? html`<span>${valueMarkup(value, texts)} ${figures}</span> `
    : html`<span
        ><a href="${href}" dir="auto" ${titleOf(value, texts)}>${shown(value, texts)}</a> ${figures}</span
      > `;
}

/** Isolated, so that the direction of a value does not turn the heading that phones show beside it. */
const valueMarkup = (value: ShownValue, texts: ValueTexts): Html | null =>
  value === null ? null : html`<bdi${titleOf(value, texts)}>${shown(value, texts)}</bdi>`;

/** The stored number, if it is written in another way. */
const titleOf = (value: ShownValue, texts: ValueTexts): Html | false =>
  isNumber(value) && shown(value, texts) !== String(value) && html` title="${String(value)}"`;

const MAX_TEXT_LENGTH = 60;

function shown(value: ShownValue, { numbers, t }: ValueTexts): string {
  if (value === null) return "";
  if (value === "") return t("stats.blank");
  if (isNumber(value)) return numbers === null ? String(value) : shownNumber(value, numbers);
  if (typeof value === "object" && "bytes" in value) return t("stats.bytes", { count: value.bytes });
  if (value instanceof Uint8Array) return t("stats.bytes", { count: value.length });
  return shortText(String(value), MAX_TEXT_LENGTH);
}
