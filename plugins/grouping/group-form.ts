import { html, type Column, type Html } from "rowhouse/plugin-api";
import { queryPairs, tildeEncode, without } from "rowhouse/plugin-api/http";
import type { Group } from "./arguments.js";
import type { GroupPlan } from "./plan.js";
import type { Translator } from "rowhouse/plugin-api/html";
import { tOf } from "./texts.js";

/** The arguments that this page reads itself. All others select rows, or concern the format. */
export const OWN_ARGUMENTS = ["_group", "_agg", "_order", "_sort", "_sort_desc", "_next", "_size"] as const;

type Option = readonly [value: string, label: string];

/** The form with a menu for each group and aggregate, at least two of each: `-` removes one. */
export function groupForm({ visit, grouping, selection }: GroupPlan): Html {
  const t = tOf(visit);
  const { rowhouse, request } = visit;
  const columns = selection.table.columns.filter(({ hidden }) => !hidden);
  const { groups, aggregates } = grouping;
  const groupTexts = groups.map(groupText);
  const aggregateTexts = aggregates.map(({ function: name, column, distinct }) =>
    column === null ? "count" : `${name}(${distinct ? "distinct " : ""}${tildeEncode(column)})`,
  );
  const groupOptions = withChosen(
    columns.flatMap((column) => groupChoices(column, t)),
    groupTexts,
  );
  const aggregateOptions = withChosen(
    [["count", t("group.rows")], ...columns.flatMap((column) => aggregateChoices(column, t))],
    aggregateTexts,
  );
  const kept = without(queryPairs(request), ...OWN_ARGUMENTS);
  return html`<form class="panel group-form" action="${rowhouse.urls.path(request.path)}" method="get">
    ${menus({ name: "_group", labels: [t("group.for_each"), t("group.and")], options: groupOptions, chosen: groupTexts })}
    ${menus({ name: "_agg", labels: [t("group.show"), t("group.and")], options: aggregateOptions, chosen: aggregateTexts })}
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button type="submit">${t("group.group")}</button>
  </form>`;
}

function groupText({ column, step, width }: Group): string {
  if (width !== null) return `interval(${tildeEncode(column)},${width})`;
  return step === null ? tildeEncode(column) : `date(${tildeEncode(column)},${step})`;
}

interface Menus {
  readonly name: string;
  /** Of the first menu, and of the others. */
  readonly labels: readonly [first: string, other: string];
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
}

const FEWEST_MENUS = 2;

const menus = ({ name, labels: [first, other], options, chosen }: Menus): readonly Html[] =>
  Array.from({ length: Math.max(FEWEST_MENUS, chosen.length) }, (_, place) => {
    const isChosen = (value: string): boolean => value === chosen[place];
    return html`
      <label
        >${place === 0 ? first : other}
        <select name="${name}">
          <option value="">-</option>
          ${options.map(([value, text]) => html`<option value="${value}" ${isChosen(value) && "selected"}>${text}</option>`)}
        </select></label
      >
    `;
  });

const withChosen = (options: readonly Option[], chosen: readonly string[]): readonly Option[] => [
  ...options,
  ...chosen.filter((text) => !options.some(([value]) => value === text)).map((text): Option => [text, text]),
];

const HOLDS_DATES = /date|time/i;

function groupChoices({ name, type }: Column, t: Translator["t"]): readonly Option[] {
  const steps = ["year", "quarter", "month", "week", "day"];
  const dated = HOLDS_DATES.test(type) || /(?:^|_)(?:date|day|time|at|on)$/i.test(name);
  const encoded = tildeEncode(name);
  return [
    [encoded, name],
    ...(dated
      ? steps.map((step): Option => [`date(${encoded},${step})`, t(`group.by_${step}`, { name })])
      : []),
  ];
}

function aggregateChoices(
  { name, affinity, primaryKeyPosition }: Column,
  t: Translator["t"],
): readonly Option[] {
  const encoded = tildeEncode(name);
  const different: Option = [`count(distinct ${encoded})`, t("group.different", { name })];
  if (affinity === "text" || affinity === "blob" || primaryKeyPosition > 0) return [different];
  const numeric = ["sum", "avg", "min", "max"] as const;
  return [...numeric.map((one): Option => [`${one}(${encoded})`, t(`group.${one}`, { name })]), different];
}
