import type { Visit } from "rowhouse/plugin-api";
import { textsFor, type Text, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";

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

/** The texts of the page for testing messages. */
export const texts: readonly TextCatalogue[] = [
  { language: "en", texts: english },
  { language: "de", texts: german },
];

/** The texts in the language of a request. */
export const tOf = (visit: Pick<Visit, "rowhouse" | "request">): Translator["t"] =>
  textsFor(visit, english).t;
