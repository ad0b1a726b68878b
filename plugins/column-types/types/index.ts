import type { ColumnType } from "rowhouse/plugin-api/contracts";
import { date, datetime } from "./dates.js";
import { email, image, url } from "./addresses.js";
import { json } from "./json.js";
import { textarea } from "./textarea.js";

export const bundledTypes: readonly ColumnType[] = [url, email, json, textarea, image, date, datetime];
