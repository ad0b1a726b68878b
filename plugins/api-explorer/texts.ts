import { pageTexts, type Text, type Translator } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";

const english = {
  ...scriptEnglish,
  "api.link": "API explorer",
  "api.about": "Try the JSON API, over what you may read and write",
  "api.lead": "Every page of this site is also JSON. Requests from here run with your own permissions.",
  "api.ready_made": "Ready-made requests",
  "api.openapi": "OpenAPI description for clients",
  "api.path": "Path",
  "api.no_script": "Sending JSON from this page needs scripting. Without it, use a tool such as curl.",
  "api.format": "Format JSON",
  "api.endpoints": "Requests that you may send",
  "api.nothing": "There is no database here that you may see. Sign in, or start Rowhouse with a SQLite file.",
  "api.answer": "Answer",
  "api.file": "The answer is a file of the type {type}.",
  "api.own_paths": "Only paths of this site can be requested here.",
  "api.cut": "(cut here)",
  "api.tables": { one: "{count} table or view", other: "{count} tables and views" },
  "api.more": "… and {count} more of the same kind",
  "api.view": "(view)",
  "api.get_database": "Get the database",
  "api.create_table": "Create table",
  "api.get_rows": "Get rows",
  "api.insert": "Insert rows",
  "api.upsert": "Upsert rows",
  "api.update": "Update a row",
  "api.delete": "Delete a row",
  "api.drop": "Drop table",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "script.api.answer": "Antwort",
  "script.api.file": "Die Antwort ist eine Datei des Typs {type}.",
  "script.api.unknown_type": "unbekannt",
  "script.api.own_paths": "Hier können nur Pfade dieser Website angefragt werden.",
  "script.api.failed": "Die Anfrage ist fehlgeschlagen: {reason}",
  "script.api.no_json": "Das ist kein JSON: {reason}",
  "api.link": "API-Explorer",
  "api.about": "Die JSON-API ausprobieren, mit allem, was Sie lesen und schreiben dürfen",
  "api.lead":
    "Jede Seite dieser Website gibt es auch als JSON. Anfragen von hier laufen mit Ihren eigenen Rechten.",
  "api.ready_made": "Fertige Anfragen",
  "api.openapi": "OpenAPI-Beschreibung für Programme",
  "api.path": "Pfad",
  "api.no_script":
    "Um von dieser Seite JSON zu senden, braucht der Browser Skripte. Ohne sie hilft ein Werkzeug wie curl.",
  "api.format": "JSON formatieren",
  "api.endpoints": "Anfragen, die Sie senden dürfen",
  "api.nothing":
    "Hier gibt es keine Datenbank, die Sie sehen dürfen. Melden Sie sich an, oder starten Sie Rowhouse mit einer SQLite-Datei.",
  "api.answer": "Antwort",
  "api.file": "Die Antwort ist eine Datei des Typs {type}.",
  "api.own_paths": "Hier können nur Pfade dieser Website angefragt werden.",
  "api.cut": "(hier abgeschnitten)",
  "api.tables": { one: "{count} Tabelle oder Sicht", other: "{count} Tabellen und Sichten" },
  "api.more": "… und {count} weitere derselben Art",
  "api.view": "(Sicht)",
  "api.get_database": "Datenbank lesen",
  "api.create_table": "Tabelle anlegen",
  "api.get_rows": "Zeilen lesen",
  "api.insert": "Zeilen einfügen",
  "api.upsert": "Zeilen einfügen oder ändern",
  "api.update": "Zeile ändern",
  "api.delete": "Zeile löschen",
  "api.drop": "Tabelle löschen",
};

/** The texts of the API explorer and of the link to it, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });

/** Returns the text of a key. */
export type T = Translator["t"];
