import { messageOf, type Schema, type Table } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { failureOf, type CopyTarget } from "./copy-target.js";

/** True if the target understands the statements of the source: they make the same tables there. */
export const isSameEngine = (source: Dialect, target: Dialect): boolean =>
  source.definitions === target.definitions && source.definitions.storedStatements === true;

/** Makes what a schema has besides tables from its own statements, after the rows. What fails is a loss. */
export async function runStoredStatements(
  { source, transaction, losses }: CopyTarget,
  schema: Schema,
): Promise<void> {
  const all = [...schema.tables.values()];
  const statements = [
    ...all.flatMap(({ indexes }) => indexes).map((index) => ({ ...index, what: "index" })),
    ...all.filter(({ kind }) => kind === "view").map((view) => ({ ...view, what: "view" })),
    ...all.filter(isSearchWithoutText).flatMap((table) => [
      { ...table, what: "search" },
      { ...table, what: "search", sql: source.definitions.search.rebuild?.(table.name) ?? null },
    ]),
    // Last: they would act on the rows that are copied.
    ...all.flatMap(({ triggers }) => triggers).map((trigger) => ({ ...trigger, what: "trigger" })),
  ];
  for (const { what, name, sql } of statements) {
    const failure = sql === null ? null : await failureOf(transaction.run(sql));
    if (failure !== null) losses.push(`the ${what} ${name}: ${messageOf(failure)}`);
  }
}

/** True for a full-text index whose text is in another table. */
export const isSearchWithoutText = ({ kind, fullText }: Table): boolean =>
  kind === "virtual" && fullText !== null && fullText.contentTable !== null;
