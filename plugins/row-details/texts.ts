import { pageTexts, type Text } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";

const english = {
  ...scriptEnglish,
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "script.row.copy": "Kopieren",
  "script.row.copied": "Kopiert",
  "script.row.not_copied": "Nicht kopiert",
  "script.row.list_rows": "Zeilen der Liste",
  "script.row.list": "Liste",
  "script.row.previous": "Vorherige Zeile",
  "script.row.next": "Nächste Zeile",
};

/** The texts of the script of the page of a row. */
export const { texts } = pageTexts(english, { de: german });
