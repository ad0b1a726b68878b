import type { Database, Table, Visit } from "rowhouse/plugin-api";
import { shortText } from "rowhouse/plugin-api/html";
import type { Field } from "./fields.js";

const LONGEST_LABEL = 200;

/** The table to which a column refers, and the label of the current value. */
export interface ReferenceTo {
  /** The address of its completion; null if no plugin has it, or if it finds other keys. */
  readonly completion: string | null;
  /** The address of the table. */
  readonly href: string;
  readonly table: string;
  /** The referenced column. */
  readonly key: string;
  readonly label: string | null;
}

/** References by column. */
export type References = ReadonlyMap<string, ReferenceTo>;

/** A table, and for whom its references are found. */
export interface ReferencingTable extends Pick<Visit, "rowhouse" | "request" | "actor"> {
  readonly target: { readonly database: Database; readonly table: Table };
}

/** The foreign keys of one column whose table exists, and that the actor may know. */
export async function referencesOf(
  { rowhouse, request, actor, target: { database, table } }: ReferencingTable,
  fields: readonly Field[],
): Promise<References> {
  if (table.foreignKeys.length === 0) return new Map();
  const [shown] = (await rowhouse.serviceIfAny("rowAccess")?.describable(actor, database, [table])) ?? [];
  const keys = shown?.table.foreignKeys.filter(({ columns }) => columns.length === 1) ?? [];
  const { tables } = await database.schema();
  const completes = rowhouse.routes.some(({ name }) => name === "autocomplete");
  const found = keys
    .filter(({ otherTable }) => tables.has(otherTable))
    .map(async ({ columns: [column = ""], otherTable, otherColumns: [key = ""] }) => {
      const text = fields.find((field) => field.column.name === column)?.text ?? "";
      const question = { otherTable, otherColumn: key, values: [text], request };
      const labels =
        text === "" ? null : await rowhouse.serviceIfAny("tables")?.labels(actor, database, question);
      const label = labels?.get(text) ?? null;
      const href = rowhouse.urls.table(database.name, otherTable);
      // A completion finds rows by their primary key.
      const isKey = tables.get(otherTable)?.primaryKeys.join() === key;
      const completion = completes && isKey ? `${href}/-/autocomplete.json` : null;
      return [
        column,
        {
          completion,
          href,
          table: otherTable,
          key,
          label: label === null ? null : shortText(String(label), LONGEST_LABEL),
        },
      ] as const;
    });
  return new Map(await Promise.all(found));
}
