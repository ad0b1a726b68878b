import { scriptTexts } from "rowhouse/browser";
import { englishOfScripts } from "./english.js";

/** The texts of this script in the language of the page. */
export const t = scriptTexts(englishOfScripts);
