import { expect } from "chai";
import { escapedBytes, formEncode, queryPairs, queryString, textOfBytes } from "rowhouse/plugin-api/http";

const pairs = (sent: string) => queryPairs({ query: new URLSearchParams(sent), queryString: sent });

describe("Bytes in query strings", () => {
  const cases: readonly (readonly [sent: string, again: string])[] = [
    ["piece=%CA%FE", "piece=%CA%FE"],
    ["a=%ff&b=%C3%A9%C3", "a=%FF&b=%C3%A9%C3"],
    ["%FF=1", "%FF=1"],
    ["a=%EF%BF%BD", "a=%EF%BF%BD"],
    ["a=%EF%BF%BD&b=%80", "a=%EF%BF%BD&b=%80"],
    // A surrogate in UTF-8, an overlong slash, one code point too many, a character that ends early.
    ["a=%ED%B2%80", "a=%ED%B2%80"],
    ["a=%C0%AF%E0%80%AF", "a=%C0%AF%E0%80%AF"],
    ["a=%F4%90%80%80", "a=%F4%90%80%80"],
    ["a=%F0%9F%A6%F0%9F%A6%80", "a=%F0%9F%A6%F0%9F%A6%80"],
    ["?a=%FF+%2B%zz%f&&b", "a=%FF+%2B%25zz%25f&b="],
  ];
  for (const [sent, again] of cases) {
    it(`${sent} is written again as ${again}`, () => {
      expect(queryString(pairs(sent))).to.equal(again);
    });
  }

  it("are equal to those of request.query where everything is UTF-8", () => {
    const sent = "a=%C3%A9&b=%F0%9F%A6%80+x&c";
    expect(pairs(sent)).to.deep.equal([...new URLSearchParams(sent)]);
  });

  it("come back from text as they were", () => {
    for (const hex of ["cafe", "41ff42", "ff", "c3a9c3", "f09fa680fe", "eda080edb080"]) {
      expect(Buffer.from(escapedBytes(textOfBytes(Buffer.from(hex, "hex"))) ?? []).toString("hex")).to.equal(
        hex,
      );
    }
    expect(escapedBytes("é🦀\ufffd")).to.equal(null);
    expect(formEncode("\ud800")).to.equal("%EF%BF%BD");
  });
});
