import { pageTexts, type Text } from "rowhouse/plugin-api/html";

const english = {
  "messages.title": "Debug messages",
  "messages.about": "A message is shown once, on the next page.",
  "messages.message": "Message",
  "messages.type": "Type",
  "messages.all": "all",
  "messages.add": "Add message",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "messages.title": "Meldungen prüfen",
  "messages.about": "Eine Meldung ist einmal zu sehen, auf der nächsten Seite.",
  "messages.message": "Meldung",
  "messages.type": "Art",
  "messages.all": "alle",
  "messages.add": "Meldung hinzufügen",
};

/** The texts of the page for testing messages, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
