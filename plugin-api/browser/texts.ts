import { filledText, type Text } from "../html/filled-text.js";

/** What `/-/texts/<language>.js` sets on pages in another language than English. */
interface GivenTexts {
  readonly language: string;
  readonly texts: Readonly<Record<string, Text>>;
}

declare global {
  var rowhouseTexts: GivenTexts | undefined;
}

/** The language of the texts of scripts: that of the page, and English without texts. */
export const pageLanguage = (): string => globalThis.rowhouseTexts?.language ?? "en";

/**
 * The texts of a script in the language of the page. A plugin registers the same keys with `register_texts`; all begin
 * with `script.`, so that pages in other languages load them.
 *
 * @example
 * const t = scriptTexts({ "script.print.rows": { one: "Print {count} row", other: "Print {count} rows" } });
 * t("script.print.rows", { count: 2 }); // "Print 2 rows"
 */
export const scriptTexts =
  <Key extends string>(english: Readonly<Record<Key, Text>>) =>
  (key: Key, values: Readonly<Record<string, string | number>> = {}): string => {
    const given = globalThis.rowhouseTexts?.texts[key];
    return filledText(given ?? english[key], values, given === undefined ? "en" : pageLanguage());
  };
