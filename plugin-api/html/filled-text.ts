import { languageRules } from "./language-rules.js";

/** A text of pages with `{names}` for values, or its plural forms by the value `count`. */
export type Text = string | PluralText;

/** The forms of `Intl.PluralRules`: a language uses some of them, and always `other`. */
export type PluralText = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/**
 * The form of a text for its value `count`, with values in place of `{names}`.
 *
 * @param number how the language writes numbers
 */
export function filledText(
  text: Text,
  values: Readonly<Record<string, string | number>>,
  language: string,
  number = wholeNumbers(language),
): string {
  const form = typeof text === "string" ? text : formOf(text, values["count"], language);
  if (!form.includes("{")) return form;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : (value ?? whole);
  });
}

const writers = new Map<string, (value: number) => string>();

/**
 * The function that writes whole numbers as a language does. In languages with groups of three digits it is much faster
 * than `Intl`: a page may show hundreds of numbers.
 */
export function wholeNumbers(language: string): (value: number) => string {
  const known = writers.get(language);
  if (known !== undefined) return known;
  const { groupSeparator } = languageRules(language);
  let numbers: Intl.NumberFormat | null = null;
  const made = (value: number): string => {
    if (groupSeparator !== null && Number.isSafeInteger(value))
      return String(value).replace(/\B(?=(?:\d{3})+$)/g, groupSeparator);
    numbers ??= new Intl.NumberFormat(language, { useGrouping: "always" });
    return numbers.format(value);
  };
  writers.set(language, made);
  return made;
}

function formOf(text: PluralText, count: string | number | undefined, language: string): string {
  return text[languageRules(language).pluralForm(Number(count ?? 0))] ?? text.other;
}
