import { problemsIn, type Blank, type Plan, type PlannedColumn, type ProblemPolicy } from "../check/plan.js";
import type { Scan } from "../check/scan.js";
import { button, counted, el, field, menu } from "../dom.js";
import type { TableFacts } from "../facts.js";

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
  }: { readonly scan: Scan; readonly placeName: string; readonly table: TableFacts | null },
  { onStart, cancelHref }: { onStart(): void; readonly cancelHref: string },
): SendForm {
  const conflict = menu(conflictsFor(table), "");
  const parts = menu(
    [
      ["", "Import all rows or none"],
      [String(PART_SIZE), `Keep the rows before it, in steps of ${PART_SIZE.toLocaleString("en")}`],
    ],
    "",
  );
  const blank = menu(
    [
      ["null", "NULL"],
      ["empty", "Empty text"],
      ["default", "The default of the column"],
    ],
    "null",
  );
  const policy = menu(
    [
      ["stop", "Import nothing"],
      ["skip", "Leave these rows out"],
      ["keep", "Import the values as they are"],
    ],
    "stop",
  );
  const problems = el("div", { class: "import-problems", role: "status" });
  const policyField = field("Rows with problems", policy);
  const start = button(`Import ${counted(scan.rowCount, "row")}`, onStart);
  const hasBlanks = scan.facts.some(({ blanks }) => blanks > 0);
  const controls = el("div", { class: "import-controls" });
  if (table !== null && table.keys.length > 0) controls.append(field("If a key exists already", conflict));
  controls.append(field("If a row is refused", parts));
  if (hasBlanks) controls.append(field("Empty fields become", blank));
  const buttons = el("p", { class: "buttons" }, start, el("a", { href: cancelHref }, "Cancel"));
  let columns: readonly PlannedColumn[] = [];
  const show = (): void => {
    const found = problemsIn(scan, { columns, blank: blank.value as Blank }, placeName);
    policyField.hidden = found.length === 0;
    const isStopped = found.length > 0 && policy.value === "stop";
    start.disabled = isStopped || columns.length === 0 || scan.rowCount === 0;
    problems.replaceChildren(...problemList(found.map(({ text }) => text)));
    if (columns.length === 0)
      problems.append(el("p", { class: "message-warning" }, "Choose at least one column."));
  };
  for (const control of [blank, policy]) control.addEventListener("change", show);
  return {
    element: el("div", {}, controls, problems, policyField, buttons),
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

function conflictsFor(table: TableFacts | null): readonly (readonly [value: string, label: string])[] {
  const safe = [
    ["", "Refuse the row"],
    ["ignore", "Leave out the new row"],
  ] as const;
  if (table?.mayUpdate !== true) return safe;
  return [...safe, ["upsert", "Change the columns of the file"], ["replace", "Replace the whole row"]];
}

const MOST_SHOWN = 12;

function problemList(texts: readonly string[]): readonly HTMLElement[] {
  if (texts.length === 0) return [];
  const more = texts.length - MOST_SHOWN;
  const items = texts.slice(0, MOST_SHOWN).map((text) => el("li", { dir: "auto" }, text));
  if (more > 0) items.push(el("li", {}, `and ${counted(more, "further problem")}`));
  return [
    el("div", { class: "message-warning" }, el("strong", {}, "What does not fit"), el("ul", {}, ...items)),
  ];
}
