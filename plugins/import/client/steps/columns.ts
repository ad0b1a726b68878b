import { affinityOf, type PlannedColumn } from "../check/plan.js";
import { typeFor, type ColumnType } from "../check/kinds.js";
import type { ColumnFacts, Scan } from "../check/scan.js";
import { counted, el, menu } from "../dom.js";
import type { TableFacts } from "../facts.js";

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
export function newColumns(scan: Scan, referable: readonly string[]): ColumnsForm {
  const lines = scan.columns.map((column, position) => {
    const facts = scan.facts[position];
    const include = el("input", { type: "checkbox", "aria-label": `Import ${column}` });
    include.checked = true;
    const name = el("input", {
      type: "text",
      value: safeName(column),
      "aria-label": `Name of ${column}`,
      dir: "auto",
    });
    const type = menu(TYPES, typeOf(facts), { "aria-label": `Type of ${column}` });
    const required = el("input", { type: "checkbox", "aria-label": `${column} needs a value` });
    const tables = [["", "—"] as const, ...referable.map((table) => [table, table] as const)];
    const refers = menu(tables, "", { "aria-label": `${column} refers to` });
    const row = el(
      "tr",
      {},
      cell(include),
      el("th", { scope: "row", dir: "auto" }, column),
      cell(name),
      cell(type),
    );
    row.append(cell(required), ...(referable.length > 0 ? [cell(refers)] : []), cell(found(facts)));
    include.addEventListener("change", () => {
      for (const control of [name, type, required, refers]) control.disabled = !include.checked;
    });
    return { row, position, include, name, type, required, refers };
  });
  const used = (): typeof lines =>
    lines.filter(({ include, name }) => include.checked && name.value.trim() !== "");
  const headings = ["Use", "In the file", "Column", "Type", "Required"];
  return {
    element: table([...headings, ...(referable.length > 0 ? ["Refers to"] : []), "Found"], lines),
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

const LEFT_OUT = "";
const CREATED = "+";

/** The columns of a file, each with a column of a table. */
export function mappedColumns(scan: Scan, { columns, mayAlter }: TableFacts): ColumnsForm {
  const taken = new Set<string>();
  const lines = scan.columns.map((column, position) => {
    const facts = scan.facts[position];
    const same = columns.find(({ name }) => plain(name) === plain(column) && !taken.has(name));
    if (same !== undefined) taken.add(same.name);
    const options = [
      [LEFT_OUT, "Leave out"] as const,
      ...columns.map(
        ({ name, type }) => [`=${name}`, type === "" ? name : `${name} (${type.toLowerCase()})`] as const,
      ),
      ...(mayAlter ? [[CREATED, `New column ${safeName(column)}`] as const] : []),
    ];
    const to = menu(options, same === undefined ? LEFT_OUT : `=${same.name}`, {
      "aria-label": `${column} goes to`,
    });
    const type = menu(TYPES, typeOf(facts), { "aria-label": `Type of ${column}` });
    type.hidden = true;
    to.addEventListener("change", () => (type.hidden = to.value !== CREATED));
    const row = el(
      "tr",
      {},
      el("th", { scope: "row", dir: "auto" }, column),
      cell(to, type),
      cell(found(facts)),
    );
    return { row, position, column, to, type };
  });
  const created = (): NewColumn[] =>
    lines
      .filter(({ to }) => to.value === CREATED)
      .map(({ column, type }) => ({ name: safeName(column), type: type.value as ColumnType }));
  return {
    element: table(["In the file", "Column", "Found"], lines),
    created,
    planned: () =>
      lines.flatMap(({ position, column, to, type }): PlannedColumn[] => {
        if (to.value === LEFT_OUT) return [];
        if (to.value === CREATED) {
          const newType = type.value as ColumnType;
          return [
            { position, name: safeName(column), affinity: affinityOf(newType), required: false, newType },
          ];
        }
        const known = columns.find(({ name }) => `=${name}` === to.value);
        if (known === undefined) return [];
        return [
          { position, name: known.name, affinity: known.affinity, required: known.required, newType: null },
        ];
      }),
  };
}

/** `Release date` is the column `release_date`. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_.-]+/g, "_");

/** New columns can have no brackets in their names. */
const safeName = (name: string): string => name.replace(/[[\]]/g, "_");

const typeOf = (facts: ColumnFacts | undefined): ColumnType => typeFor(facts?.kinds.keys() ?? []);

function found(facts: ColumnFacts | undefined): HTMLElement {
  const [first] = facts?.kinds.values() ?? [];
  const blanks = facts?.blanks ?? 0;
  const example = first === undefined ? "no values" : shortened(first.first.text);
  const note = blanks === 0 || first === undefined ? "" : ` · ${counted(blanks, "empty", "empty")}`;
  return el("span", { class: "hint", dir: "auto" }, example + note);
}

const shortened = (text: string): string => (text.length > 32 ? `${text.slice(0, 32)}…` : text);

const cell = (...content: readonly HTMLElement[]): HTMLElement => el("td", {}, ...content);

function table(headings: readonly string[], lines: readonly { readonly row: HTMLElement }[]): HTMLElement {
  const labelled = lines.map(({ row }) => {
    for (const [index, one] of [...row.children].entries())
      (one as HTMLElement).dataset["label"] = headings[index] ?? "";
    return row;
  });
  return el(
    "table",
    { class: "import-columns" },
    el("thead", {}, el("tr", {}, ...headings.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...labelled),
  );
}
