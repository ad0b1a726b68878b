import { quoteIdentifier } from "rowhouse/plugin-api";
import type { ForeignKey } from "rowhouse/plugin-api/engine";
import { nameList } from "./identifiers.js";
import { meaningful, nameOf, tokenize, type Token } from "./tokens.js";

/**
 * Foreign keys in the comment of a table or view, which nothing enforces: one per line, in the form that PostGraphile
 * reads too.
 *
 * @example
 * recordedKeys([{ columns: ["author_id"], otherTable: "authors", otherColumns: ["id"], ... }]);
 * // '@foreignKey ("author_id") references "authors" ("id")'
 */
export const recordedKeys = (keys: readonly ForeignKey[]): string =>
  keys
    .map(
      ({ columns, otherTable, otherColumns }) =>
        `@foreignKey (${nameList(columns)}) references ${quoteIdentifier(otherTable)} (${nameList(otherColumns)})`,
    )
    .join("\n");

/** The foreign keys that a comment records, in the order of its lines. Other lines are ignored. */
export const readRecordedKeys = (comment: string | null): readonly ForeignKey[] =>
  (comment ?? "").split("\n").flatMap((line) => {
    const [, text] = /^\s*@foreignKey\s+(.*)$/.exec(line) ?? [];
    const key = text === undefined ? null : readKey(text);
    return key === null ? [] : [key];
  });

function readKey(text: string): ForeignKey | null {
  const tokens = meaningful(tokenize(text));
  const references = tokens.findIndex((token) => token.text.toLowerCase() === "references");
  const columns = namesIn(tokens.slice(0, references));
  const [otherTable, ...otherColumns] = namesIn(tokens.slice(references + 1));
  if (references < 1 || otherTable === undefined || columns.length !== otherColumns.length) return null;
  return { columns, otherTable, otherColumns, onDelete: "NO ACTION", onUpdate: "NO ACTION" };
}

const namesIn = (tokens: readonly Token[]): readonly string[] =>
  tokens.flatMap((token) => nameOf(token) ?? []);
