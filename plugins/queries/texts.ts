import { pageTexts, type Text } from "rowhouse/plugin-api/html";

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

/** The message after a query that writes, and the entry of the jump menu, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
