import { pageTexts, type Text } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";

const english = {
  ...scriptEnglish,
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "script.layout.rows": "Zeilen",
  "script.layout.compact": "dicht",
  "script.layout.normal": "normal",
  "script.layout.roomy": "luftig",
  "script.layout.frozen": "Feste Spalten",
  "script.layout.reset": "Breiten zurücksetzen",
  "script.layout.width": "Breite von {column}",
  "script.layout.find": "Spalte finden",
  "script.layout.all": "Alle",
  "script.layout.none": "Keine",
  "script.layout.up": "{column} nach oben",
  "script.layout.down": "{column} nach unten",
};

/** The texts of the script for the layout of tables. */
export const { texts } = pageTexts(english, { de: german });
