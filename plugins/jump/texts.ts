import { pageTexts, type Text } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";

const english = {
  ...scriptEnglish,
  "jump.button": "Jump to…",
  "jump.title": "Jump to",
  "jump.field": "Name of a page, table, command, setting or row",
  "jump.find": "Find",
  "jump.more": "There are more: type more of the name.",
  "jump.nothing_here": "There is nothing here that you may see. Signing in may help.",
  "jump.nothing": "Nothing is called that.",
  /** Words, in lower case, that find actions which add rows or tables. */
  "jump.words_of_adding": "new",
  "jump.try": "Try a part of the name, or fewer words.",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "script.jump.title": "Springen zu",
  "script.jump.field": "Name einer Seite, Tabelle, Zeile, Einstellung oder eines Befehls",
  "script.jump.places": "Orte",
  "script.jump.no_answer": "Der Server antwortet nicht.",
  "script.jump.nothing": "Nichts heißt so.",
  "script.jump.kind_page": "Seite",
  "script.jump.kind_command": "Befehl",
  "script.jump.kind_database": "Datenbank",
  "script.jump.kind_table": "Tabelle",
  "script.jump.kind_view": "Sicht",
  "script.jump.kind_query": "Abfrage",
  "script.jump.kind_setting": "Einstellung",
  "script.jump.kind_row": "Zeile",
  "script.jump.kind_dashboard": "Dashboard",
  "script.jump.kind_token": "Token",
  "jump.button": "Springen zu…",
  "jump.title": "Springen zu",
  "jump.field": "Name einer Seite, Tabelle, Zeile, Einstellung oder eines Befehls",
  "jump.find": "Suchen",
  "jump.more": "Es gibt noch mehr: Geben Sie mehr vom Namen ein.",
  "jump.nothing_here": "Hier gibt es nichts, was Sie sehen dürfen. Vielleicht hilft es, sich anzumelden.",
  "jump.nothing": "Nichts heißt so.",
  "jump.words_of_adding": "neue neuer neues",
  "jump.try": "Versuchen Sie einen Teil des Namens oder weniger Wörter.",
};

/** The texts of the jump menu, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
