import type { Column, Table } from "rowhouse/plugin-api";
import { isUntyped, type Dialect } from "rowhouse/plugin-api/engine";
import { NameMap } from "rowhouse/plugin-api/names";
import { hasOwnType, type KeyedTable } from "./targets-view.js";

/** A column whose name suggests that it references a table. */
export interface SuggestedKey {
  readonly column: Column;
  readonly target: KeyedTable;
}

/**
 * The foreign keys that the names of columns suggest, in the order of the columns: `owner_id`, `ownerId`, `owner` and
 * `owners_id` suggest the table `owners`, `country_code` the table `countries` with the key `code`, and `isbn` the only
 * table with the key `isbn`. The types fit. Columns with a foreign key are left out.
 */
export function suggestedKeys(
  table: Table,
  keys: readonly KeyedTable[],
  dialect: Dialect,
): readonly SuggestedKey[] {
  const referencing = new Set(table.foreignKeys.flatMap(({ columns }) => columns));
  const targetOf = targetFinder(keys);
  return table.columns
    .filter(({ name, generated, hidden }) => generated === "no" && !hidden && !referencing.has(name))
    .flatMap((column) => {
      const target = targetOf(column.name);
      if (target === null || !fits(dialect, { table, column }, target.column)) return [];
      return target.table.name === table.name && target.column.name === column.name
        ? []
        : [{ column, target }];
    });
}

const ID = "id";

/** Finds the table that the name of a column suggests; null for none. */
function targetFinder(keys: readonly KeyedTable[]): (column: string) => KeyedTable | null {
  const byTable = new NameMap(keys.map((one) => [plain(one.table.name), one]));
  const byKey = new NameMap(keys.map((one) => [plain(one.column.name), one]));
  const suffixes = new Set([ID, ...keys.map(({ column }) => plain(column.name))]);
  return (column) => {
    const name = plain(column);
    const named = (noun: string, suffix: string | null): KeyedTable | undefined =>
      tableNames(noun)
        .flatMap((one) => byTable.all(one))
        .find((one) => suffix === null || suffix === ID || plain(one.column.name) === suffix);
    const whole = named(name, null);
    if (whole !== undefined) return whole;
    for (const suffix of suffixes) {
      const found = name.endsWith(suffix) ? named(name.slice(0, -suffix.length), suffix) : undefined;
      if (found !== undefined) return found;
    }
    const [only, ...others] = name === ID ? [] : byKey.all(name);
    return only === undefined || others.length > 0 ? null : only;
  };
}

/** A name without case and separators: `ownerId`, `owner_id` and `Owner-ID` are `ownerid`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The names that a table of these things may have, the most similar first: the noun itself, its plural, its singular. */
function tableNames(noun: string): readonly string[] {
  if (noun === "") return [];
  const plurals = [`${noun}s`, `${noun}es`, noun.replace(/y$/, "ies")];
  const singulars = [noun.replace(/ies$/, "y"), noun.replace(/es$/, ""), noun.replace(/s$/, "")];
  return [...new Set([noun, ...plurals, ...singulars])];
}

/** True if a foreign key on the column can reference the key. */
function fits({ definitions }: Dialect, { table, column }: KeyedTable, key: Column): boolean {
  if (definitions.isSpecialType === undefined)
    return isUntyped(table, column.name) || kindOf(column) === kindOf(key);
  if (typeOf(column) === typeOf(key)) return true;
  return (
    !hasOwnType(definitions, column) && !hasOwnType(definitions, key) && column.affinity === key.affinity
  );
}

/** Numbers of all types are equal to each other. */
const kindOf = ({ affinity }: Column): string =>
  affinity === "real" || affinity === "numeric" ? "integer" : affinity;

const typeOf = ({ baseType, type }: Column): string => baseType ?? type;
