import { cssClass } from "rowhouse/plugin-api/html";
import { expect } from "chai";
import { counted, humanSize } from "../../../plugins/pages/formatted-numbers.js";
import { customSymbols, unitSymbol } from "../../../plugins/pages/units.js";

describe("the class form of a name", () => {
  const cases = [
    ["name", "name"],
    ["a_b-c9", "a_b-c9"],
    ["has space", "has-space-53f8a8"],
    ["_x", "x-d93f2a"],
    ["9lives", "9lives-8bc726"],
    ["a.b", "ab-e32b62"],
    ["-", "336d5e"],
    ["é", "66ddcd"],
  ] as const;
  for (const [name, expected] of cases) {
    it(`of ${JSON.stringify(name)} is ${expected}`, () => expect(cssClass(name)).to.equal(expected));
  }
});

describe("formatted numbers", () => {
  it("group thousands, and use singular and plural", () => {
    expect(counted(0, "row")).to.equal("0 rows");
    expect(counted(1, "row")).to.equal("1 row");
    expect(counted(1234567, "row")).to.equal("1,234,567 rows");
  });

  const sizes = [
    [1, "1 bytes"],
    [1023, "1023 bytes"],
    [1024, "1.0 KB"],
    [1536, "1.5 KB"],
    [5 * 1024 ** 3, "5.0 GB"],
    [3000 * 1024 ** 4, "3000.0 TB"],
  ] as const;
  for (const [bytes, expected] of sizes) {
    it(`say ${expected} for ${bytes} bytes`, () => expect(humanSize(bytes)).to.equal(expected));
  }
});

describe("the symbol of a unit", () => {
  for (const [unit, symbol] of [
    ["m", "m"],
    ["meter", "m"],
    ["nautical_mile", "nmi"],
    ["__proto__", "__proto__"],
  ] as const) {
    it(`of ${unit} is ${symbol}`, () => expect(unitSymbol(unit, new Map())).to.equal(symbol));
  }

  it("is that of the metadata", () => {
    expect(unitSymbol("decibel", customSymbols(["decibel = [] = dB"]))).to.equal("dB");
  });
});
