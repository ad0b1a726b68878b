import { button, element } from "rowhouse/browser";
import { problemsIn, type Blank, type Plan, type PlannedColumn, type ProblemPolicy } from "../check/plan.js";
import type { Scan } from "../check/scan.js";
import { field, menu } from "../dom.js";
import type { TableFacts } from "../page-facts.js";
import type { PlaceName } from "../message.js";
import { t, textOf } from "../texts.js";

/** How rows are imported. */
export interface SendChoices {
  /** An argument of `/-/insert`; empty to refuse keys that exist. */
  readonly conflict: string;
  /** Rows of a transaction; null for all. */
  readonly partSize: number | null;
  readonly blank: Blank;
  readonly problems: ProblemPolicy;
}

/** The last step. */
export interface SendForm {
  readonly element: HTMLElement;
  choices(): SendChoices;
  /** Shows what does not fit the planned columns. */
  refresh(columns: readonly PlannedColumn[]): void;
}

const PART_SIZE = 10_000;

/** The options, the list of problems and the button. */
export function sendForm(
  {
    scan,
    placeName,
    table,
  }: { readonly scan: Scan; readonly placeName: PlaceName; readonly table: TableFacts | null },
  { onStart, cancelHref }: { onStart(): void; readonly cancelHref: string },
): SendForm {
  const { conflict, parts, blank, policy } = choiceMenus(table);
  const problems = element("div", { class: "import-problems", role: "status" });
  const policyField = field(t("script.import.with_problems"), policy);
  const start = button("", onStart);
  const hasBlanks = scan.facts.some(({ blanks }) => blanks > 0);
  const controls = element("div", { class: "import-controls" });
  if (table !== null && table.keys.length > 0) controls.append(field(t("script.import.if_key"), conflict));
  controls.append(field(t("script.import.if_refused"), parts));
  if (hasBlanks) controls.append(field(t("script.import.blank"), blank));
  const buttons = element(
    "p",
    { class: "buttons" },
    start,
    element("a", { href: cancelHref }, t("script.import.cancel")),
  );
  let columns: readonly PlannedColumn[] = [];
  const show = (): void => {
    const found = problemsIn(scan, { columns, blank: blank.value as Blank }, placeName);
    policyField.hidden = found.length === 0;
    const isStopped = found.length > 0 && policy.value === "stop";
    // A row can have several problems, so that their sum is not the number of rows that are left out.
    start.textContent =
      found.length > 0 && policy.value === "skip"
        ? t("script.import.import_other_rows")
        : t("script.import.import_rows", { count: scan.rowCount });
    start.disabled = isStopped || columns.length === 0;
    problems.replaceChildren(...problemList(found.map(({ text }) => textOf(text))));
    if (columns.length === 0)
      problems.append(element("p", { class: "message-warning" }, t("script.import.choose_column")));
  };
  for (const control of [blank, policy]) control.addEventListener("change", show);
  return {
    element: element("div", {}, controls, problems, policyField, buttons),
    choices: () => ({
      conflict: conflict.value,
      partSize: parts.value === "" ? null : Number(parts.value),
      blank: blank.value as Blank,
      problems: policy.value as Plan["problems"],
    }),
    refresh: (planned) => {
      columns = planned;
      show();
    },
  };
}

const choiceMenus = (table: TableFacts | null) => ({
  conflict: menu(conflictsFor(table), ""),
  parts: menu(
    [
      ["", t("script.import.all_or_none")],
      [String(PART_SIZE), t("script.import.in_steps", { count: PART_SIZE })],
    ],
    "",
  ),
  blank: menu(
    [
      ["null", "NULL"],
      ["empty", t("script.import.empty_text")],
      ["default", t("script.import.default")],
    ],
    "null",
  ),
  policy: menu(
    [
      ["stop", t("script.import.stop")],
      ["skip", t("script.import.skip")],
      ["keep", t("script.import.keep")],
    ],
    "stop",
  ),
});

function conflictsFor(table: TableFacts | null): readonly (readonly [value: string, label: string])[] {
  const safe = [
    ["", t("script.import.refuse_row")],
    ["ignore", t("script.import.ignore_row")],
  ] as const;
  if (table?.mayUpdate !== true) return safe;
  return [...safe, ["upsert", t("script.import.upsert_row")], ["replace", t("script.import.replace_row")]];
}

const MOST_SHOWN = 12;

function problemList(texts: readonly string[]): readonly HTMLElement[] {
  if (texts.length === 0) return [];
  const more = texts.length - MOST_SHOWN;
  const items = texts.slice(0, MOST_SHOWN).map((text) => element("li", { dir: "auto" }, text));
  if (more > 0) items.push(element("li", {}, t("script.import.more_problems", { count: more })));
  return [
    element(
      "div",
      { class: "message-warning" },
      element("strong", {}, t("script.import.misfits")),
      element("ul", {}, ...items),
    ),
  ];
}
