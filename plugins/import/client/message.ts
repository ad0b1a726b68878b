import type { scriptEnglish } from "./english.js";

/** A text by its key, for code that has no page and so no language. Values may be messages. */
export interface Message {
  readonly key: keyof typeof scriptEnglish;
  readonly values: Readonly<Record<string, string | number | Message>>;
}

/** @example message("script.import.fields", { fields: "4", count: "3" }); // has 4 fields, not 3 */
export const message = (key: Message["key"], values: Message["values"] = {}): Message => ({ key, values });

/** What the places of rows count, in lower case. */
export type PlaceName = "line" | "row" | "object";

/** `line 3`, as the preview has it: without separators of thousands. */
export const placeMessage = (name: PlaceName, place: number): Message =>
  message(`script.import.${name}_at`, { place: String(place) });
