import { expect } from "chai";
import { languageRules, translator } from "rowhouse/plugin-api/html";

describe("the rules of a language", () => {
  for (const language of ["en", "de"]) {
    it(`are those of Intl, without it: ${language}`, () => {
      const { groupSeparator, decimalPoint, pluralForm } = languageRules(language);
      const { number } = translator([], language);
      const numbers = new Intl.NumberFormat(language, { useGrouping: "always" });
      const plurals = new Intl.PluralRules(language);

      const parts = new Map(numbers.formatToParts(1234.5).map(({ type, value }) => [type, value]));
      expect([groupSeparator, decimalPoint]).to.deep.equal([parts.get("group"), parts.get("decimal")]);
      for (const value of [0, 1, -1, 2, 1.5, 12, 999, 1000, -1000, 123_456, 2 ** 53, 1234.5]) {
        expect(pluralForm(value), String(value)).to.equal(plurals.select(value));
        expect(number(value), String(value)).to.equal(numbers.format(value));
      }
    });
  }

  it("come from Intl for other languages", () => {
    const polish = languageRules("pl");

    expect([1, 2, 5].map(polish.pluralForm)).to.deep.equal(["one", "few", "many"]);
    expect(polish.decimalPoint).to.equal(",");
    expect(languageRules("hi").groupSeparator).to.equal(null);
    const directions = ["en", "de", "pl", "he", "ar-EG", "fa", "pa-Arab", "pa"].map(
      (language) => languageRules(language).direction,
    );
    expect(directions).to.deep.equal(["ltr", "ltr", "ltr", "rtl", "rtl", "rtl", "rtl", "ltr"]);
  });
});
