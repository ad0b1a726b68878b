import { pageTexts, type Text } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";
import { firstEnglish } from "./client/first-english.js";

const english = {
  ...firstEnglish,
  ...scriptEnglish,
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "script.map.title": "Karte",
  "script.map.filter": "Nach Ausschnitt filtern",
  "script.map.help": "Karte. Pfeiltasten verschieben sie, + und - ändern den Maßstab.",
  "script.map.loading": "Wird geladen …",
  "script.map.failed": "Keine Karte: {reason}",
  "script.map.zoom_in": "Vergrößern",
  "script.map.zoom_out": "Verkleinern",
  "script.map.all": "Alle zeigen",
  "script.map.close": "Schließen",
  "script.map.none": "Keine dieser Zeilen hat einen Ort auf der Erde.",
  "script.map.rows": { one: "{count} Zeile", other: "{count} Zeilen" },
  "script.map.some": "{places} von {rows} Zeilen mit einem Ort",
  "script.map.first":
    "{places} Orte unter den ersten {rows} von {total} Zeilen. Filtern Sie die Zeilen, um die anderen zu sehen.",
  "script.map.many": "vielen",
  "script.map.row": "Zeile",
  "script.map.close_card": "Karte schließen",
  "script.map.more": "und {count} weitere",
  "script.map.open": "Zeile öffnen",
  "script.map.of_places": { one: "Karte mit {count} Ort", other: "Karte mit {count} Orten" },
  "script.map.places": "{count} Orte",
};

/** The texts of maps. */
export const { texts } = pageTexts(english, { de: german });
