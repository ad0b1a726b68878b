/** A text of pages with `{names}` for values, or its plural forms by the value `count`. */
export type Text = string | PluralText;

/** The forms of `Intl.PluralRules`: a language uses some of them, and always `other`. */
export type PluralText = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

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
  const numbers = new Intl.NumberFormat(language, { useGrouping: "always" });
  return {
    language,
    t(key, values = {}) {
      const isOwn = own.has(key);
      const text = own.get(key) ?? english.get(key);
      if (text === undefined) return key;
      const form =
        typeof text === "string" ? text : formOf(text, values["count"], isOwn ? language : ENGLISH);
      return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
        const value = values[name];
        return typeof value === "number" ? numbers.format(value) : (value ?? whole);
      });
    },
  };
}

function textsOf(catalogues: readonly TextCatalogue[], language: string): ReadonlyMap<string, Text> {
  return new Map(
    catalogues.filter((one) => one.language === language).flatMap(({ texts }) => Object.entries(texts)),
  );
}

const rules = new Map<string, Intl.PluralRules>();

function formOf(text: PluralText, count: string | number | undefined, language: string): string {
  const known = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, known);
  return text[known.select(Number(count ?? 0))] ?? text.other;
}
