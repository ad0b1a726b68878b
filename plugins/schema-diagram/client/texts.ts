import { scriptTexts } from "rowhouse/browser";
import { scriptEnglish } from "./english.js";

/** The texts of the script in the language of the page. */
export const t = scriptTexts(scriptEnglish);
