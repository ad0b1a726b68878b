import { messageOf, StartupError } from "rowhouse/plugin-api";
import { isOutOfService, SqlFailed } from "rowhouse/plugin-api/errors";
import { copyDifference } from "./compare-copy.js";
import { copyRows, type RowsCopy } from "./copy-rows.js";
import { failureOf, type CopyTarget } from "./copy-target.js";
import { recreateTable } from "./create-table.js";
import type { Rule } from "./portable-rules.js";
import type { TableDigest } from "./table-digest.js";

/** A table to fill, which has been created. */
export interface TableFill extends CopyTarget, Pick<RowsCopy, "from" | "copy" | "target" | "onRows"> {
  readonly rules: readonly Rule[];
}

/**
 * Copies the rows of a table and compares them. If the target can't compute a rule for existing rows, or computes other
 * values than the source, it makes the table again without this rule, which is a loss.
 *
 * @throws SqlFailed if the target refuses the rows, StartupError if it has other ones afterwards
 */
export async function fillTable(fill: TableFill): Promise<TableDigest> {
  const computed = fill.rules.filter(isComputed);
  try {
    return await copyAndCompare(fill);
  } catch (error) {
    if (computed.length === 0 || !maySucceedWithoutRules(error)) throw error;
  }
  const others = fill.rules.filter((rule) => !isComputed(rule));
  await copyAndCompare(await recreated(fill, others));
  const kept: Rule[] = [];
  for (const rule of computed) {
    const problem = await problemOf(fill, rule);
    if (problem === null) kept.push(rule);
    else fill.losses.push(`${rule.label}: ${problem}`);
  }
  return copyAndCompare(await recreated(fill, [...others, ...kept]));
}

/** The same table with other rules and without rows. */
async function recreated(fill: TableFill, rules: readonly Rule[]): Promise<TableFill> {
  const { copy, target, transaction } = fill;
  await recreateTable(fill, copy, rules);
  const { tables } = await transaction.schema();
  return { ...fill, rules, target: tables.get(target.name) ?? target };
}

/** True for a rule that the target computes for each row. */
const isComputed = ({ kind }: Rule): boolean => kind === "check" || kind === "generated";

class CopyDiffers extends StartupError {}

/** False for errors that say nothing about the rules: a full disk, a damaged source. */
const maySucceedWithoutRules = (error: unknown): boolean =>
  error instanceof CopyDiffers ||
  (error instanceof SqlFailed && error.kind !== "corrupt" && !isOutOfService(error));

async function copyAndCompare(fill: TableFill): Promise<TableDigest> {
  // Generated columns are computed.
  const isFilled = new Map(fill.target.columns.map(({ name, generated }) => [name, generated === "no"]));
  const digest = await copyRows({
    ...fill,
    filled: fill.copy.columns.filter((name) => isFilled.get(name) !== false),
  });
  const difference = await copyDifference(fill, fill.copy, digest);
  if (difference !== null) throw new CopyDiffers(`${difference}, and nothing is copied`);
  return digest;
}

/** Why a table that has its rows, but no rules, can't have a rule; null if it can. */
async function problemOf(
  { dialect, transaction, copy }: TableFill,
  { kind, column, sql }: Rule,
): Promise<string | null> {
  const isText = column !== null && copy.types[copy.columns.indexOf(column)] === "text";
  // A comparison of text may ignore case.
  const compared = (value: string): string => (isText ? `cast(${value} as text)` : value);
  const condition =
    kind === "check" || column === null
      ? `not (${sql})`
      : `${compared(`(${sql})`)} is distinct from ${compared(dialect.quoteIdentifier(column))}`;
  const from = dialect.quoteIdentifier(copy.table.name);
  let found = 0;
  const failure = await failureOf(
    transaction
      .all(`select 1 from ${from} where ${condition} limit 1`)
      .then(({ rows }) => (found = rows.length)),
  );
  if (failure !== null) return messageOf(failure);
  if (found === 0) return null;
  return kind === "check" ? "existing rows violate it" : "other values in the target";
}
