import { pageTexts, type Text } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";

const english = {
  ...scriptEnglish,
  "diagram.link": "Diagram of the tables",
  "diagram.about": "Columns, keys and references",
  "diagram.title": "Diagram of {database}",
  "diagram.first": "The first {count} tables; those with foreign keys come first.",
  "diagram.nothing": "There are no tables here that you may see.",
  "diagram.region": "Tables and their references",
  "diagram.more": "and {count} more columns",
  "diagram.key": "Primary key",
  "diagram.refers": "refers to {column}",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "script.diagram.smaller": "Kleiner",
  "script.diagram.larger": "Größer",
  "script.diagram.all": "Alles zeigen",
  "diagram.link": "Diagramm der Tabellen",
  "diagram.about": "Spalten, Schlüssel und Verweise",
  "diagram.title": "Diagramm von {database}",
  "diagram.first": "Die ersten {count} Tabellen; die mit Fremdschlüsseln kommen zuerst.",
  "diagram.nothing": "Hier gibt es keine Tabellen, die Sie sehen dürfen.",
  "diagram.region": "Tabellen und ihre Verweise",
  "diagram.more": "und {count} weitere Spalten",
  "diagram.key": "Primärschlüssel",
  "diagram.refers": "verweist auf {column}",
};

/** The texts of the diagram of tables, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
