import type { Visit } from "rowhouse/plugin-api";
import { textsFor, type Text, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";

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

/** The texts of links of error pages. */
export const texts: readonly TextCatalogue[] = [
  { language: "en", texts: english },
  { language: "de", texts: german },
];

/** The texts in the language of a request. */
export const tOf = (visit: Pick<Visit, "rowhouse" | "request">): Translator["t"] =>
  textsFor(visit, english).t;
