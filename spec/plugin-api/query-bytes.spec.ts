import { expect } from "chai";
import { BadRequest } from "rowhouse/plugin-api";
import {
  escapedBytes,
  formEncode,
  formFields,
  queryPairs,
  queryString,
  textOfBytes,
} from "rowhouse/plugin-api/http";

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

describe("Fields of a form", () => {
  const TEXTS: readonly string[] = [
    "title=The+Waves&year=1931",
    "a=1&a=2&&=3&b&c=&=",
    "%C3%A9=%2B+%26&x=a%3Db=c",
    "bad=%&short=%4&letters=%zz&bytes=%FF%FE&half=%C3",
    "mark=%EF%BB%BFx&plain=\ufeffx",
    "raw=é ü",
  ];

  for (const text of TEXTS) {
    it(`are those of URLSearchParams: ${text}`, () => {
      expect([...formFields(text)]).to.deep.equal([...new URLSearchParams(text)]);
    });
  }

  it("are twenty thousand at most, and a long one has valid escapes", () => {
    expect([...formFields("a=1&".repeat(19_999))]).to.have.length(19_999);
    expect(() => formFields("a=1&".repeat(20_000))).to.throw(BadRequest, "A form has at most 20000 fields");
    expect(formFields(`a=${"%+".repeat(100)}`).get("a")).to.equal("% ".repeat(100));
    expect(() => formFields(`a=${"%+".repeat(100_000)}`)).to.throw(
      BadRequest,
      "A form field has an invalid escape",
    );
  });
});
