import { pageTexts, type Text } from "rowhouse/plugin-api/html";

const english = {
  "other_pages.start": "Start page",
  "other_pages.database": "Database {name}",
  "other_pages.table": "Table {name}",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "other_pages.start": "Startseite",
  "other_pages.database": "Datenbank {name}",
  "other_pages.table": "Tabelle {name}",
};

/** The texts of links of error pages, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
