import { expect } from "chai";
import { jsonString } from "rowhouse/plugin-api/json";

/** Every character above U+007E as the four digits of its UTF-16 units. */
const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

describe("jsonString", () => {
  for (const count of [0, 1, 2, 7, 8, 9, 10, 100, 20_000]) {
    it(`escapes ${count} characters outside of ASCII, with text between them and without`, () => {
      for (const unit of ["\u007f", "é", "ж", "\u{1F600}", "\ud800"]) {
        for (const between of ["", "a", 'b "c" \\ ']) {
          const text = `${between}${`${unit}${between}`.repeat(count)}`;

          expect(jsonString(text)).to.equal(escaped(text));
        }
      }
    });
  }
});
