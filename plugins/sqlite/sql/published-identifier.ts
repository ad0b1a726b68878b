import { quoteIdentifier } from "rowhouse/plugin-api";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The name as published SQL shows it: without quotes if possible, else in brackets, or in double quotes if it contains
 * `]`.
 */
export function publishedIdentifier(name: string): string {
  if (PLAIN.test(name) && !KEYWORDS.has(name.toLowerCase())) return name;
  return bracketed(name);
}

/** A name in brackets: some published conditions have brackets even if the name needs no quotes. */
export const bracketed = (name: string): string =>
  /[\]\0]/.test(name) ? quoteIdentifier(name) : `[${name}]`;

/**
 * Keywords of SQLite (https://www.sqlite.org/lang_keywords.html), without newer ones that SQLite also accepts as names
 * (`nulls`, `window`, ...): published statements have always shown those without quotes.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter analyze and as asc attach autoincrement before begin between by " +
    "cascade case cast check collate column commit conflict constraint create cross current_date " +
    "current_time current_timestamp database default deferrable deferred delete desc detach distinct drop " +
    "each else end escape except exclusive exists explain fail for foreign from full glob group having if " +
    "ignore immediate in index indexed initially inner insert instead intersect into is isnull join key " +
    "left like limit match natural no not nothing notnull null of offset on or order outer plan pragma " +
    "primary query raise recursive references regexp reindex release rename replace restrict returning " +
    "right rollback row savepoint select set table temp temporary then to transaction trigger union " +
    "unique update using vacuum values view virtual when where with without"
  ).split(" "),
);
