import { pageTexts, type Text } from "rowhouse/plugin-api/html";

const english = {
  "audit.link": "Log of changes",
  "audit.changes": "Changes",
  "audit.none_fits": "No change matches the filters.",
  "audit.nothing": "Nothing was changed so far.",
  "audit.newest": "Newest changes",
  "audit.older": "Older changes",
  "audit.when": "When",
  "audit.what": "What",
  "audit.who": "Who",
  "audit.where": "Where",
  "audit.rows": "Rows",
  "audit.details": "Details",
  "audit.filters": "Filters",
  "audit.database": "Database",
  "audit.table": "Table",
  "audit.any": "any",
  "audit.from": "From",
  "audit.to": "To",
  "audit.details_contain": "Details contain",
  "audit.show": "Show",
  "audit.show_all": "Show all",
  "audit.anonymous": "anonymous",
} as const;

/** The key of a text of the log. */
export type AuditText = keyof typeof english;

const german: Readonly<Record<AuditText, Text>> = {
  "audit.link": "Protokoll der Änderungen",
  "audit.changes": "Änderungen",
  "audit.none_fits": "Zu den Filtern passt keine Änderung.",
  "audit.nothing": "Bisher wurde nichts geändert.",
  "audit.newest": "Neueste Änderungen",
  "audit.older": "Ältere Änderungen",
  "audit.when": "Wann",
  "audit.what": "Was",
  "audit.who": "Wer",
  "audit.where": "Wo",
  "audit.rows": "Zeilen",
  "audit.details": "Einzelheiten",
  "audit.filters": "Filter",
  "audit.database": "Datenbank",
  "audit.table": "Tabelle",
  "audit.any": "beliebig",
  "audit.from": "Von",
  "audit.to": "Bis",
  "audit.details_contain": "Einzelheiten enthalten",
  "audit.show": "Zeigen",
  "audit.show_all": "Alle zeigen",
  "audit.anonymous": "anonym",
};

/** The texts of the log of changes, and the functions that return them in the language of a request. */
export const { texts, translatorOf, tOf } = pageTexts(english, { de: german });
