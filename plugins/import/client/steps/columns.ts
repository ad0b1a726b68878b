import { element, shortText } from "rowhouse/browser";
import { affinityOf, type PlannedColumn } from "../check/plan.js";
import { typeFor, type ColumnType } from "../check/kinds.js";
import type { ColumnFacts, Scan } from "../check/scan.js";
import { menu } from "../dom.js";
import type { DatabaseFacts, TableFacts } from "../page-facts.js";
import { t } from "../texts.js";

/** A column to create, as the JSON API has it. */
export interface NewColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly not_null?: true;
  readonly fk_table?: string;
}

/** The list of the columns of a file, and what becomes of each. */
export interface ColumnsForm {
  readonly element: HTMLElement;
  planned(): readonly PlannedColumn[];
  /** The columns that the table does not have yet. */
  created(): readonly NewColumn[];
}

const TYPES: readonly (readonly [type: ColumnType, label: string])[] = [
  ["text", "text"],
  ["integer", "integer"],
  ["float", "float"],
  ["blob", "blob"],
];

/** The columns of a table to be created. */
export function newColumns(scan: Scan, database: DatabaseFacts): ColumnsForm {
  const { referable } = database;
  const lines = scan.columns.map((column, position) => ({
    position,
    ...newColumnLine(column, scan.facts[position], database),
  }));
  const used = (): typeof lines =>
    lines.filter(({ include, name }) => include.checked && name.value.trim() !== "");
  const headings = [
    t("script.import.use"),
    t("script.import.in_file"),
    t("script.import.column"),
    t("script.import.type"),
    t("script.import.required"),
    ...(referable.length > 0 ? [t("script.import.refers_to")] : []),
    t("script.import.found"),
  ];
  return {
    element: table(headings, lines),
    planned: () =>
      used().map(({ position, name, type, required }) => ({
        position,
        name: name.value.trim(),
        affinity: affinityOf(type.value as ColumnType),
        required: required.checked,
        newType: type.value as ColumnType,
      })),
    created: () =>
      used().map(({ name, type, required, refers }) => ({
        name: name.value.trim(),
        type: type.value as ColumnType,
        ...(required.checked && { not_null: true as const }),
        ...(refers.value !== "" && { fk_table: refers.value }),
      })),
  };
}

const box = (label: string): HTMLInputElement => element("input", { type: "checkbox", "aria-label": label });

/** The controls of a column to be created, in a row of the list. */
function newColumnLine(column: string, facts: ColumnFacts | undefined, database: DatabaseFacts) {
  const { referable } = database;
  const include = box(t("script.import.import_column", { column }));
  include.checked = true;
  const name = element("input", {
    type: "text",
    value: safeName(column),
    "aria-label": t("script.import.name_of", { column }),
    dir: "auto",
  });
  const type = menu(TYPES, typeOf(facts, database), { "aria-label": t("script.import.type_of", { column }) });
  const required = box(t("script.import.needs_value", { column }));
  const tables = [["", "—"] as const, ...referable.map((table) => [table, table] as const)];
  const refers = menu(tables, "", { "aria-label": t("script.import.column_refers", { column }) });
  const heading = element("th", { scope: "row", dir: "auto" }, column);
  const row = element("tr", {}, cell(include), heading, cell(name), cell(type), cell(required));
  row.append(...(referable.length > 0 ? [cell(refers)] : []), cell(found(facts)));
  include.addEventListener("change", () => {
    for (const control of [name, type, required, refers]) control.disabled = !include.checked;
  });
  return { row, include, name, type, required, refers };
}

const LEFT_OUT = "";
const CREATED = "+";

/** The columns of a file, each with a column of a table. */
export function mappedColumns(scan: Scan, facts: TableFacts, database: DatabaseFacts): ColumnsForm {
  const { columns, mayAlter } = facts;
  const taken = new Set<string>();
  const lines = scan.columns.map((column, position) => {
    const seen = scan.facts[position];
    const same = columns.find(({ name }) => plain(name) === plain(column) && !taken.has(name));
    if (same !== undefined) taken.add(same.name);
    const options = [
      [LEFT_OUT, t("script.import.leave_out")] as const,
      ...columns.map(
        ({ name, type }) => [`=${name}`, type === "" ? name : `${name} (${type.toLowerCase()})`] as const,
      ),
      ...(mayAlter ? [[CREATED, t("script.import.new_column", { column: safeName(column) })] as const] : []),
    ];
    const to = menu(options, same === undefined ? LEFT_OUT : `=${same.name}`, {
      "aria-label": t("script.import.goes_to", { column }),
    });
    const type = menu(TYPES, typeOf(seen, database), {
      "aria-label": t("script.import.type_of", { column }),
    });
    type.hidden = true;
    to.addEventListener("change", () => (type.hidden = to.value !== CREATED));
    const row = element(
      "tr",
      {},
      element("th", { scope: "row", dir: "auto" }, column),
      cell(to, type),
      cell(found(seen)),
    );
    return { row, position, column, to, type };
  });
  // A column gets the values of one column of the file: the last one that was chosen for it.
  for (const { to } of lines) {
    to.addEventListener("change", () => {
      for (const other of lines) {
        if (other.to !== to && other.to.value === to.value && to.value !== CREATED) other.to.value = LEFT_OUT;
      }
    });
  }
  const created = (): NewColumn[] =>
    lines
      .filter(({ to }) => to.value === CREATED)
      .map(({ column, type }) => ({ name: safeName(column), type: type.value as ColumnType }));
  return {
    element: table([t("script.import.in_file"), t("script.import.column"), t("script.import.found")], lines),
    created,
    planned: () =>
      lines.flatMap(({ position, column, to, type }): PlannedColumn[] => {
        if (to.value === LEFT_OUT) return [];
        if (to.value === CREATED) return [plannedColumn(position, column, type.value as ColumnType)];
        const known = columns.find(({ name }) => `=${name}` === to.value);
        if (known === undefined) return [];
        return [
          { position, name: known.name, affinity: known.affinity, required: known.required, newType: null },
        ];
      }),
  };
}

/** A column that the import adds to a table. */
const plannedColumn = (position: number, column: string, newType: ColumnType): PlannedColumn => ({
  position,
  name: safeName(column),
  affinity: affinityOf(newType),
  required: false,
  newType,
});

/** `Release date` is the column `release_date`. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_.-]+/g, "_");

/** New columns can have no brackets in their names. */
const safeName = (name: string): string => name.replace(/[[\]]/g, "_");

const typeOf = (facts: ColumnFacts | undefined, { mixesNumbers }: DatabaseFacts): ColumnType =>
  typeFor(facts?.kinds.keys() ?? [], mixesNumbers);

function found(facts: ColumnFacts | undefined): HTMLElement {
  const [first] = facts?.kinds.values() ?? [];
  const blanks = facts?.blanks ?? 0;
  const example = first === undefined ? t("script.import.no_values") : shortText(first.first.text, 32);
  const note = blanks === 0 || first === undefined ? "" : ` · ${t("script.import.empty", { count: blanks })}`;
  return element("span", { class: "hint", dir: "auto" }, example + note);
}

const cell = (...content: readonly HTMLElement[]): HTMLElement => element("td", {}, ...content);

function table(headings: readonly string[], lines: readonly { readonly row: HTMLElement }[]): HTMLElement {
  const labelled = lines.map(({ row }) => {
    for (const [index, one] of [...row.children].entries())
      (one as HTMLElement).dataset["label"] = headings[index] ?? "";
    return row;
  });
  return element(
    "table",
    { class: "import-columns" },
    element("thead", {}, element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...labelled),
  );
}
