import { element } from "rowhouse/browser";
import { typeFor } from "../check/kinds.js";
import type { Scan } from "../check/scan.js";
import { field, menu } from "../dom.js";
import type { PageFacts, TableFacts } from "../page-facts.js";
import { t } from "../texts.js";

/** A table to be created. */
export interface NewTable {
  readonly name: string;
  /** The key, as the JSON API has it; null for none. */
  readonly key: string | null;
}

/** Where rows go: a table, or null for a new one. */
export interface TargetForm {
  readonly element: HTMLElement;
  readonly table: TableFacts | null;
  created(): NewTable;
}

const ASSIGNED = "id";

/**
 * The choice of the table.
 *
 * @param onChange called with the address of another table that was chosen; null for a new table
 */
export function targetForm(
  { database, table: own }: PageFacts,
  { table, scan, name }: { readonly table: TableFacts | null; readonly scan: Scan; readonly name: string },
  onChange: (url: string | null) => void,
): TargetForm {
  const form = element("div", { class: "import-controls" });
  const value = freeName(
    name || "imported",
    database.tables.map(([one]) => one),
  );
  const nameInput = element("input", { type: "text", value, required: true, dir: "auto" });
  const keyList = menu(keyChoices(scan), suggestedKey(scan));
  if (own === null) {
    const tables = [
      ["", t("script.import.new_table")] as const,
      ...database.tables.map(([one, url]) => [url, one] as const),
    ];
    const list = menu(tables, table?.url ?? "");
    list.addEventListener("change", () => onChange(list.value === "" ? null : list.value));
    form.append(field(t("script.import.into"), list));
  }
  if (table === null)
    form.append(
      field(t("script.import.table_name"), nameInput),
      field(t("script.import.primary_key"), keyList),
    );
  return {
    element: form,
    table,
    created: () => ({
      name: nameInput.value.trim(),
      key: keyList.value === "" ? null : keyList.value.slice(1),
    }),
  };
}

/** `books_2` if there is a table `books`. */
function freeName(name: string, tables: readonly string[]): string {
  const taken = new Set(tables.map((one) => one.toLowerCase()));
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}_${number}`;
  return free;
}

/** Columns whose values are all given and all differ, as far as is known. */
const keyColumns = ({ columns, facts }: Scan): readonly string[] =>
  columns.filter((_, position) => {
    const { blanks = 1, values = null } = facts[position] ?? {};
    return blanks === 0 && values !== null;
  });

function keyChoices(scan: Scan): readonly (readonly [value: string, label: string])[] {
  const assigned = scan.columns.some((name) => name.toLowerCase() === ASSIGNED)
    ? []
    : [[`=${ASSIGNED}`, t("script.import.assigned", { name: ASSIGNED })] as const];
  return [
    ...keyColumns(scan).map((name) => [`=${name}`, name] as const),
    ...assigned,
    ["", t("script.import.no_key")],
  ];
}

function suggestedKey(scan: Scan): string {
  const [first] = scan.columns;
  const candidates = keyColumns(scan);
  const own = candidates.find((name) => name.toLowerCase() === ASSIGNED);
  if (own !== undefined) return `=${own}`;
  const isKey = first !== undefined && candidates.includes(first) && /(?:id|key|code|nr|no)$/i.test(first);
  const isNumber = isKey && typeFor(scan.facts[0]?.kinds.keys() ?? [], false) === "integer";
  return isNumber ? `=${first}` : (keyChoices(scan).find(([value]) => value === `=${ASSIGNED}`)?.[0] ?? "");
}
