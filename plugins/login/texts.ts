import { pageTexts } from "rowhouse/plugin-api/html";

const english = {
  "login.as_root": "Sign in as root",
  "login.demonstration": "This is a demonstration: all visitors may change its data.",
  "login.log_out": "Log out",
  "login.logged_in_as": "You are logged in as",
  "login.logged_out": "You are now logged out",
} as const;

const german: Readonly<Record<keyof typeof english, string>> = {
  "login.as_root": "Als root anmelden",
  "login.demonstration": "Dies ist eine Vorführung: Alle Besucher dürfen die Daten ändern.",
  "login.log_out": "Abmelden",
  "login.logged_in_as": "Sie sind angemeldet als",
  "login.logged_out": "Sie sind jetzt abgemeldet",
};

/** The texts of the pages that sign in and out, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
