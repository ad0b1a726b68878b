import { scriptTexts } from "rowhouse/browser";
import { scriptEnglish } from "./english.js";
import { firstEnglish } from "./first-english.js";

/** The texts of the script in the language of the page. */
export const t = scriptTexts({ ...firstEnglish, ...scriptEnglish });
