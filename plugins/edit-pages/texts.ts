import { pageTexts } from "rowhouse/plugin-api/html";
import { english } from "./texts/english.js";
import { german } from "./texts/german.js";

/** The texts of the pages for editing, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
