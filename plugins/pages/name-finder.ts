import type { Translator } from "rowhouse/plugin-api/html";
import { matchesWords } from "./client/matches-words.js";

/** Fewer names fit on a screen. */
const FEW = 20;

/** The field above the names of a database that finds one of them, and links to each kind. */
interface Finder {
  readonly text: string;
  readonly finds_nothing: boolean;
  readonly parts: readonly { readonly href: string; readonly label: string }[];
}

interface Names<Table, View, Query> {
  readonly tables: readonly Table[];
  readonly views: readonly View[];
  readonly queries: readonly Query[];
}

/**
 * The tables, views and queries with each word of `typed` in their name or title.
 *
 * @returns them with the field; without it if there are few
 */
export function findNames<
  Table extends { readonly name: string },
  View extends { readonly name: string },
  Query extends { readonly label: string },
>(
  all: Names<Table, View, Query>,
  typed: string | null,
  t: Translator["t"],
): Names<Table, View, Query> & { readonly finder: Finder | null } {
  const { tables, views, queries } = all;
  if (tables.length + views.length + queries.length <= FEW) return { ...all, finder: null };
  const text = typed?.trim() ?? "";
  const found = {
    tables: tables.filter(({ name }) => matchesWords(name, text)),
    views: views.filter(({ name }) => matchesWords(name, text)),
    queries: queries.filter(({ label }) => matchesWords(label, text)),
  };
  const parts = [
    { href: "#queries", count: found.queries.length, key: "database.count_queries" },
    { href: "#tables", count: found.tables.length, key: "home.tables" },
    { href: "#views", count: found.views.length, key: "home.views" },
  ].filter(({ count }) => count > 0);
  return {
    ...found,
    finder: {
      text,
      finds_nothing: parts.length === 0,
      parts: parts.map(({ href, count, key }) => ({ href, label: t(key, { count }) })),
    },
  };
}
