import { filledText, wholeNumbers, type Text } from "./filled-text.js";

export type { PluralText, Text } from "./filled-text.js";

/** Texts of one language by key. */
export interface TextCatalogue {
  /** `en`, `de`, `pt-BR` */
  readonly language: string;
  readonly texts: Readonly<Record<string, Text>>;
}

/** The texts of pages in one language. */
export interface Translator {
  readonly language: string;
  /**
   * The text of a key with values in place of `{names}`; the English text if the language has none, the key if there is
   * no such text. Numbers are written as the language writes them.
   */
  t(key: string, values?: Readonly<Record<string, string | number>>): string;
  /** A whole number as the language writes it: `1,234,567`. */
  number(value: number): string;
}

const ENGLISH = "en";

/**
 * The texts of all catalogues in one language.
 *
 * @example
 * const catalogues = [{ language: "de", texts: { "desk.free": { one: "{count} Platz frei", other: "{count} Plätze frei" } } }];
 * translator(catalogues, "de").t("desk.free", { count: 1200 }); // "1.200 Plätze frei"
 */
export function translator(catalogues: readonly TextCatalogue[], language: string): Translator {
  const own = textsOf(catalogues, language);
  const english = language === ENGLISH ? own : textsOf(catalogues, ENGLISH);
  const number = wholeNumbers(language);
  return {
    language,
    number,
    t(key, values = {}) {
      const text = own.get(key);
      if (text !== undefined) return filledText(text, values, language);
      const other = english.get(key);
      return other === undefined ? key : filledText(other, values, ENGLISH, number);
    },
  };
}

function textsOf(catalogues: readonly TextCatalogue[], language: string): ReadonlyMap<string, Text> {
  return new Map(
    catalogues.filter((one) => one.language === language).flatMap(({ texts }) => Object.entries(texts)),
  );
}
