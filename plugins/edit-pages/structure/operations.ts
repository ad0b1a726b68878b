import type { DefaultValues } from "rowhouse/plugin-api/engine";
import { choicesIn, type ColumnLine } from "./column-line.js";
import { defaultArguments } from "./default-text.js";

/** An operation of `/-/alter`. */
export interface Operation {
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The columns of a form, before and after it was filled in. */
export interface Edit {
  readonly before: readonly ColumnLine[];
  /** Lines beyond those of `before` are new columns. */
  readonly after: readonly ColumnLine[];
  /** The declared types of the columns of `before`. */
  readonly types: readonly string[];
  readonly table: string;
  /** The new name of the table. */
  readonly rename: string;
}

/**
 * The operations that make a table what the form says. Columns are dropped before others are renamed, so that a new name
 * may be that of a dropped column.
 */
export function operationsOf(edit: Edit, defaults: DefaultValues): readonly Operation[] {
  const pairs = edit.before.map((old, index) => ({
    old,
    now: edit.after[index] ?? old,
    type: edit.types[index] ?? "",
  }));
  const kept = pairs.filter(({ now }) => !now.isDropped);
  const added = addedLines(edit);
  return [
    ...freedKey(edit),
    ...kept.filter(({ old, now }) => old.refersTo !== "" && old.refersTo !== now.refersTo).map(dropReference),
    ...pairs
      .filter(({ now }) => now.isDropped)
      .map(({ old }) => ({ op: "drop_column", args: { name: old.name } })),
    ...kept.flatMap((pair) => changes(pair, defaults)),
    ...kept.flatMap(rename),
    ...added.map((line) => ({ op: "add_column", args: newColumnArguments(line, defaults) })),
    ...kept.filter(({ old, now }) => now.refersTo !== "" && old.refersTo !== now.refersTo).map(addReference),
    ...keyChange(edit),
    ...reordering(edit),
    ...(edit.rename === edit.table ? [] : [{ op: "rename_table", args: { to: edit.rename } }]),
  ];
}

/** Lines of columns that the table does not have yet. */
export const addedLines = ({ before, after }: Pick<Edit, "before" | "after">): readonly ColumnLine[] =>
  after.slice(before.length).filter(({ name, isDropped }) => name !== "" && !isDropped);

interface Pair {
  readonly old: ColumnLine;
  readonly now: ColumnLine;
  /** The declared type. */
  readonly type: string;
}

function changes({ old, now, type }: Pair, defaults: DefaultValues): readonly Operation[] {
  const newType = now.type === "" ? type : now.type;
  const changed = {
    ...(now.type !== "" && { type: now.type }),
    ...(now.isRequired !== old.isRequired && { not_null: now.isRequired }),
    ...(now.defaultText !== old.defaultText && defaultArguments(now.defaultText, newType, defaults)),
    ...(now.choices !== old.choices && { choices: choicesOrNull(now.choices, newType) }),
  };
  return Object.keys(changed).length === 0
    ? []
    : [{ op: "alter_column", args: { name: old.name, ...changed } }];
}

/** A new column, for `add_column` and `/-/create`. */
export function newColumnArguments(
  line: ColumnLine,
  defaults: DefaultValues,
): Readonly<Record<string, unknown>> {
  return {
    name: line.name,
    type: line.type,
    ...(line.isRequired && { not_null: true }),
    ...(line.defaultText !== "" && defaultArguments(line.defaultText, line.type, defaults)),
    ...(line.choices !== "" && { choices: choicesOrNull(line.choices, line.type) }),
    ...(line.refersTo !== "" && { fk_table: line.refersTo }),
  };
}

const SAFE_INTEGER = /^-?\d{1,15}$/;

/** Null for no list. In columns of numbers the values are numbers. */
function choicesOrNull(text: string, type: string): readonly (string | number)[] | null {
  const choices = choicesIn(text);
  if (choices.length === 0) return null;
  return /int/i.test(type) && choices.every((one) => SAFE_INTEGER.test(one)) ? choices.map(Number) : choices;
}

const dropReference = ({ old }: Pair): Operation => ({ op: "drop_foreign_key", args: { column: old.name } });

const addReference = ({ now }: Pair): Operation => ({
  op: "add_foreign_key",
  args: { column: now.name, fk_table: now.refersTo },
});

const rename = ({ old, now }: Pair): readonly Operation[] =>
  now.name === old.name ? [] : [{ op: "rename_column", args: { name: old.name, to: now.name } }];

/** A column of the key can't be dropped, so the key is changed first. */
function freedKey({ before, after }: Edit): readonly Operation[] {
  const isLost = before.some(({ isKey }, index) => isKey && after[index]?.isDropped === true);
  if (!isLost) return [];
  const columns = before.filter((_, index) => after[index]?.isKey === true && !after[index].isDropped);
  return [{ op: "set_primary_key", args: { columns: columns.map(({ name }) => name) } }];
}

function keyChange({ before, after }: Edit): readonly Operation[] {
  const left = after.filter(({ isDropped, name }) => !isDropped && name !== "");
  const isSame = after.every(
    ({ isKey, isDropped }, index) => isDropped || isKey === (before[index]?.isKey ?? false),
  );
  if (isSame) return [];
  return [
    { op: "set_primary_key", args: { columns: left.filter(({ isKey }) => isKey).map(({ name }) => name) } },
  ];
}

/** New columns without a position stay at the end. */
function reordering({ before, after }: Edit): readonly Operation[] {
  const placed = after
    .map((line, index) => ({ ...line, index, place: Number(line.position) || after.length + index }))
    .filter(({ isDropped, name }) => !isDropped && name !== "");
  const isChanged = placed.some(({ position, index }) => position !== (before[index]?.position ?? ""));
  if (!isChanged) return [];
  // A column that moves forward comes before the one in its new place, one that moves back comes behind it.
  const rank = ({ place, index }: (typeof placed)[number]): number =>
    place + Math.sign(place - index - 1) / 2;
  const columns = placed.toSorted((one, other) => rank(one) - rank(other)).map(({ name }) => name);
  return [{ op: "reorder_columns", args: { columns } }];
}
