import type { Text } from "rowhouse/plugin-api/html";
import type { englishOfScripts } from "../client/english.js";

/** The same texts in German. The type requires each key. */
export const germanOfScripts: Readonly<Record<keyof typeof englishOfScripts, Text>> = {
  "script.sort_ascending": "Aufsteigend sortieren",
  "script.sort_descending": "Absteigend sortieren",
  "script.then_ascending": "Danach aufsteigend",
  "script.then_descending": "Danach absteigend",
  "script.facet": "Facette anzeigen",
  "script.group": "Danach gruppieren",
  "script.hide_column": "Spalte ausblenden",
  "script.all_columns": "Alle Spalten zeigen",
  "script.not_blank": "Nur nicht leere Zeilen",
  "script.column": "Spalte {name}",
  "script.type": "Typ: {type}",
  "script.no_type": "keiner",
  "script.long_address":
    "Das wurde nicht gesendet: Es gäbe eine Adresse von {count} Zeichen, und der Server nimmt {most} an. Kürzen Sie es, oder bitten Sie um eine vorbereitete Abfrage.",
  "script.toolbar": "Werkzeuge für die Zeilen",
  "script.open": "Öffnen",
  "script.copy_json": "Als JSON kopieren",
  "script.copied_json": "Die Zeile wurde als JSON kopiert.",
  "script.not_copied": "Die Zeile konnte nicht gelesen werden. Bitte die Seite neu laden und dann kopieren.",
  "script.row": "Zeile {key}",
  "script.select_all": "Alle Zeilen der Seite auswählen",
  "script.select_row": "Zeile {key} auswählen",
  "script.select_none": "Auswahl aufheben",
  "script.selected_rows": "Ausgewählte Zeilen",
  "script.selected": { one: "{count} Zeile ausgewählt", other: "{count} Zeilen ausgewählt" },
};
