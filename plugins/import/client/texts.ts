import { scriptTexts } from "rowhouse/browser";
import { scriptEnglish } from "./english.js";
import type { Message, PlaceName } from "./message.js";

/** The texts of the script in the language of the page. */
export const t = scriptTexts(scriptEnglish);

/** A message in the language of the page. */
export const textOf = ({ key, values }: Message): string =>
  t(
    key,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === "object" ? textOf(value) : value,
      ]),
    ),
  );

/** `lines 3 to 5` */
export const rangeText = (name: PlaceName, [first, last]: readonly [first: number, last: number]): string =>
  t(`script.import.${name}_range`, { first: String(first), last: String(last) });
