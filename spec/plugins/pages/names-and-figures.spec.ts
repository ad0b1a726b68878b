import { cssClass } from "rowhouse/plugin-api/html";
import { expect } from "chai";
import { counted, humanSize } from "../../../plugins/pages/formatted-numbers.js";
import { customSymbols, quantity } from "../../../plugins/pages/units.js";

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

describe("a quantity", () => {
  const cases = [
    [2 ** 53, "m", "9.007199 Pm"],
    [12, "m", "12 m"],
    [0.0025, "meter", "2.5 mm"],
    [0, "m", "0 m"],
    [-1500, "watt", "-1.5 kW"],
    [5000, "nautical_mile", "5000 nmi"],
    [2000, "__proto__", "2 k__proto__"],
  ] as const;
  for (const [value, unit, expected] of cases) {
    it(`of ${value} ${unit} is ${expected}`, () =>
      expect(quantity(value, unit, new Map())).to.equal(expected));
  }

  it("uses symbols from the metadata", () => {
    expect(quantity(3, "decibel", customSymbols(["decibel = [] = dB"]))).to.equal("3 dB");
  });
});
