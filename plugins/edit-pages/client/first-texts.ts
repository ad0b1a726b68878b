import { scriptTexts } from "rowhouse/browser";
import { firstEnglish } from "./first-english.js";

/** Those texts in the language of the page, without the others. */
export const t = scriptTexts(firstEnglish);
