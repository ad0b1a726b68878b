import { pageTexts, type Text } from "rowhouse/plugin-api/html";

const english = {
  "ways.start": "Start page",
  "ways.database": "Database {name}",
  "ways.table": "Table {name}",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "ways.start": "Startseite",
  "ways.database": "Datenbank {name}",
  "ways.table": "Tabelle {name}",
};

/** The texts of links of error pages, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
