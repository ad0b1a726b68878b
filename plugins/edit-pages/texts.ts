import type { Visit } from "rowhouse/plugin-api";
import { textsFor, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";
import { english } from "./texts/english.js";
import { german } from "./texts/german.js";

/** The texts of the pages for editing. */
export const texts: readonly TextCatalogue[] = [
  { language: "en", texts: english },
  { language: "de", texts: german },
];

/** The texts in the language of a request. */
export const tOf = (visit: Pick<Visit, "rowhouse" | "request">): Translator["t"] =>
  textsFor(visit, english).t;
