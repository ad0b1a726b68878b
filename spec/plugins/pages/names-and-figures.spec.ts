import { cssClass, humanSize, translator } from "rowhouse/plugin-api/html";
import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import { english } from "../../../plugins/pages/language/english.js";
import { german } from "../../../plugins/pages/language/german.js";
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

const inEnglish = translator([{ language: "en", texts: english }], "en");
const inGerman = translator([{ language: "de", texts: german }], "de");

describe("formatted numbers", () => {
  it("are those of the language", () => {
    expect(inGerman.t("table.of", { range: "1", count: 1234567 })).to.equal("1 von 1.234.567");
    expect(inGerman.number(1_234_567.5)).to.equal("1.234.567,5");
    expect(humanSize(1536, "de")).to.equal("1,5 KB");
  });

  it("group thousands, and use singular and plural", () => {
    const found = [0, 1, 1234567].map((count) => inEnglish.t("home.rows", { count }));
    expect(found).to.deep.equal(["0 rows", "1 row", "1,234,567 rows"]);
  });

  const sizes = [
    [1023, null],
    [1024, "1.0 KB"],
    [1536, "1.5 KB"],
    [5 * 1024 ** 3, "5.0 GB"],
    [3000 * 1024 ** 4, "3000.0 TB"],
  ] as const;
  for (const [bytes, expected] of sizes) {
    it(`say ${expected} for ${bytes} bytes`, () => expect(humanSize(bytes, "en")).to.equal(expected));
  }
});

describe("the size of a file", () => {
  it("is the same on the page of its database and in the list of databases", async () => {
    const rowhouse = await rowhouseFor({ immutable: ["library"], sql: "create table t (a)" });
    const sizes = await Promise.all(
      ["/library", "/-/databases"].map(async (path) => {
        const { text } = await rowhouse.get(path, { as: "root", headers: { accept: "text/html" } });
        return /\d+\.\d KB/.exec(text)?.[0];
      }),
    );

    expect(sizes).to.deep.equal(["8.0 KB", "8.0 KB"]);
  });
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

describe("an empty value", () => {
  it("has a name in facets and among the filters of a page", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table cities (name text); insert into cities values ('')",
    });
    const { text } = await rowhouse.get("/library/cities?_facet=name&name__exact=");

    expect(text).to.match(/data-facet-value="">\(blank\)<\/a>/);
    expect(text).to.include('<span dir="auto">name = (blank)</span>');
  });

  it("as the label of a key leaves the key to see in its facet", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table genres (id integer primary key, name text); insert into genres values (1, 'Novel'), (2, null), (3, '');
        create table books (genre integer references genres (id)); insert into books values (1), (2), (3), (null);`,
    });
    const { text } = await rowhouse.get("/library/books?_facet=genre");
    const values = [
      ...text.matchAll(/<a href="[^"]*genre=[^"]*" rel="nofollow"[^>]*>([^<]*)<\/a> <span class="figures">/g),
    ].map(([, shown]) => shown);

    expect(values.toSorted()).to.deep.equal(["2", "3", "Novel"]);
  });
});
