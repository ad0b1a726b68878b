/** With `dir="auto"`, Chromium takes seconds for each key in a longer text, and half a minute to show its lines. */
const LONG = 100_000;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** The attribute `dir` of a field: a long text has one direction for all lines, that of its first letter. */
export function textDirection(text: string): "auto" | "ltr" | "rtl" {
  if (text.length <= LONG) return "auto";
  const [letter] = /\p{L}/u.exec(text) ?? [""];
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}
