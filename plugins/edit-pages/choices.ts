import { meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import type { Table } from "rowhouse/plugin-api";
import { findByName } from "rowhouse/plugin-api/names";

/** The values that a column may have, as text. */
export type Choices = ReadonlyMap<string, readonly string[]>;

const choicesByTable = new WeakMap<Table, Choices>();

/**
 * The values of enumerated types, and those that `check (column in (...))` allows, by column. Other checks
 * are left to the database.
 */
export function choicesOf(table: Table): Choices {
  const known = choicesByTable.get(table);
  if (known !== undefined) return known;
  const checked = [...readChoices(table.sql ?? ""), ...readArrays(table.sql ?? "")];
  const choices = new Map([
    ...table.columns.flatMap(({ name, enumValues }) =>
      enumValues === undefined ? [] : [[name, enumValues] as const],
    ),
    ...checked.flatMap(([written, values]) => {
      const column = findByName(table.columns, written);
      return column === undefined ? [] : [[column.name, values] as const];
    }),
  ]);
  choicesByTable.set(table, choices);
  return choices;
}

/** By the name of the column in the check. */
function readChoices(sql: string): Choices {
  const tokens = meaningful(sqlTokens(sql));
  const words = tokens.map(({ text }) => text.toLowerCase());
  const found = new Map<string, readonly string[]>();
  for (const [at, word] of words.entries()) {
    if (word !== "check" || words[at + 1] !== "(" || words[at + 3] !== "in" || words[at + 4] !== "(")
      continue;
    const end = words.indexOf(")", at + 5);
    // The check must consist of the list alone: `check (state in (...) or ...)` allows other values.
    if (end === -1 || words[end + 1] !== ")") continue;
    const values = tokens.slice(at + 5, end).filter(({ text }) => text !== ",");
    if (values.length === 0 || values.some(({ kind }) => kind !== "text" && kind !== "number")) continue;
    const column = unquote(tokens[at + 2]?.text ?? "");
    found.set(
      column,
      values.map(({ kind, text }) => (kind === "text" ? unquote(text) : text)),
    );
  }
  return found;
}

/** What PostgreSQL makes of such a check, in a line of its own: `CHECK (state = ANY (ARRAY['new'::text, 'sold'::text]))`. */
const ARRAY_CHECK =
  /CHECK \(\(?("(?:[^"]|"")+"|\w+)\)?(?:::text)? = ANY \(\(?ARRAY\[((?:'(?:[^']|'')*'::[a-z ]+|\d+(?=[,\]])|, )+)\]\)?(?:::text\[\])?\)\)(?=,?\n)/g;

const valuesOf = (list: string): readonly string[] =>
  [...list.matchAll(/('(?:[^']|'')*')::|(\d+)/g)].map(([, text, number = ""]) =>
    text === undefined ? number : unquote(text),
  );

function readArrays(sql: string): Choices {
  return new Map(
    [...sql.matchAll(ARRAY_CHECK)].map(([, name = "", list = ""]) => [unquote(name), valuesOf(list)]),
  );
}
