import type { ColumnType } from "rowhouse/plugin-api";
import { date, datetime } from "./dates.js";
import { email } from "./email.js";
import { image } from "./image.js";
import { json } from "./json.js";
import { textarea } from "./textarea.js";
import { url } from "./url.js";

/** The bundled types. */
export const bundledTypes: readonly ColumnType[] = [url, email, json, textarea, image, date, datetime];
