import { pageTexts, type Text } from "rowhouse/plugin-api/html";

const english = {
  "stats.link": "Column statistics",
  "stats.title": "Columns of {table}",
  "stats.where": "Of the rows where {filters}",
  "stats.columns": "Columns",
  "stats.column": "Column",
  "stats.filled": "Not null",
  "stats.different": "Distinct",
  "stats.least": "Minimum",
  "stats.greatest": "Maximum",
  "stats.mean": "Mean",
  "stats.frequent": "Most frequent",
  "stats.timed_out": "Not computed: time limit exceeded",
  "stats.bytes": { one: "{count} byte", other: "{count} bytes" },
  "stats.blank": "(blank)",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "stats.link": "Spaltenstatistik",
  "stats.title": "Spalten von {table}",
  "stats.where": "Für die Zeilen mit {filters}",
  "stats.columns": "Spalten",
  "stats.column": "Spalte",
  "stats.filled": "Nicht null",
  "stats.different": "Verschieden",
  "stats.least": "Minimum",
  "stats.greatest": "Maximum",
  "stats.mean": "Mittel",
  "stats.frequent": "Am häufigsten",
  "stats.timed_out": "Nicht berechnet: Zeitgrenze überschritten",
  "stats.bytes": "{count} Byte",
  "stats.blank": "(leer)",
};

/** The texts of the statistics of columns, and the functions that return them in the language of a request. */
export const { texts, translatorOf, tOf } = pageTexts(english, { de: german });
