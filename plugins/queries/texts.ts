import type { Visit } from "rowhouse/plugin-api";
import { textsFor, type Text, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";

const english = {
  "query.custom_sql": "Custom SQL query",
  "query.executed": {
    one: "Query executed, {count} row affected",
    other: "Query executed, {count} rows affected",
  },
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "query.custom_sql": "Eigene SQL-Abfrage",
  "query.executed": {
    one: "Abfrage ausgeführt, {count} Zeile betroffen",
    other: "Abfrage ausgeführt, {count} Zeilen betroffen",
  },
};

/** The message after a query that writes, and the entry of the jump menu. */
export const texts: readonly TextCatalogue[] = [
  { language: "en", texts: english },
  { language: "de", texts: german },
];

/** The texts in the language of a request. */
export const tOf = (visit: Pick<Visit, "rowhouse" | "request">): Translator["t"] =>
  textsFor(visit, english).t;
