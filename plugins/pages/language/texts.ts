import { pageTexts } from "rowhouse/plugin-api/html";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts of the pages of this plugin, and the functions that return them in the language of a request. */
export const { texts, translatorOf, tOf } = pageTexts(english, { de: german });
