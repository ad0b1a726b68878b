import { expect } from "chai";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { shortText, translator } from "rowhouse/plugin-api/html";
import { english } from "../../../plugins/pages/language/english.js";
import { html } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import {
  type CellStyle,
  cellKind,
  cellMarkup,
  pluginMarkup,
  shortAddress,
} from "../../../plugins/pages/cells.js";

const plain: CellStyle = {
  truncate: 2048,
  fold: true,
  reader: translator([{ language: "en", texts: english }], "en"),
  wholeHref: () => null,
  unit: null,
  customUnits: new Map(),
  numbers: null,
  linkTo: (value) => `/shop/makers/${String(value)}`,
  blobHref: (_bytes, rowIndex) => `/shop/files/${rowIndex}.blob`,
};

const shown = (cell: Cell, style: Partial<CellStyle> = {}): string =>
  cellMarkup(cell, { ...plain, ...style }, 7);

describe("a cell of a page", () => {
  const cases: readonly (readonly [what: string, cell: Cell, markup: string])[] = [
    ["NULL as a blank", null, "&nbsp;"],
    ["empty text as a blank", "", "&nbsp;"],
    ["an integer with all its digits", 9007199254740993n, "9007199254740993"],
    ["zero", 0, "0"],
    ["a REAL as a REAL", new Real(12), "12.0"],
    ["an infinity", new Real(-Infinity), "-inf"],
    ["text escaped", `<b title="x">&'</b>`, "&lt;b title=&quot;x&quot;&gt;&amp;&#39;&lt;/b&gt;"],
    [
      "a web address as a link",
      "https://a.example/?b&c",
      '<a href="https://a.example/?b&amp;c">https://a.example/?b&amp;c</a>',
    ],
    [
      "a web address without the spaces around it",
      " http://a.example\n",
      '<a href="http://a.example">http://a.example</a>',
    ],
    [
      "a long web address as a link that is folded",
      `https://a.example/${"b".repeat(600)}`,
      `<a class="long" href="https://a.example/${"b".repeat(600)}">https://a.example/${"b".repeat(600)}</a>`,
    ],
    ["an address with a space inside as text", "https://a.example is it", "https://a.example is it"],
    ["a script address as text", "javascript:alert(1)", "javascript:alert(1)"],
    [
      "an address that tries to leave its attribute as an escaped link",
      `https://x/"onclick="alert(1)`,
      '<a href="https://x/&quot;onclick=&quot;alert(1)">https://x/&quot;onclick=&quot;alert(1)</a>',
    ],
    [
      "a BLOB as a link to it",
      new Uint8Array(3),
      '<a class="blob-download" href="/shop/files/7.blob">&lt;Binary:&nbsp;3&nbsp;bytes&gt;</a>',
    ],
    [
      "a BLOB of one byte",
      new Uint8Array(1),
      '<a class="blob-download" href="/shop/files/7.blob">&lt;Binary:&nbsp;1&nbsp;byte&gt;</a>',
    ],
    [
      "a big BLOB with its size in a tooltip",
      new Uint8Array(1536),
      '<a class="blob-download" href="/shop/files/7.blob" title="1.5 KB">&lt;Binary:&nbsp;1,536&nbsp;bytes&gt;</a>',
    ],
    [
      "a labelled key as a link and the value",
      new Labelled(1, "<Acme>"),
      '<a href="/shop/makers/1">&lt;Acme&gt;</a>&nbsp;<em>1</em>',
    ],
    ["a label like its value once", new Labelled("nz", "nz"), '<a href="/shop/makers/nz">nz</a>'],
    ["an empty label as a dash", new Labelled(3, ""), '<a href="/shop/makers/3">-</a>&nbsp;<em>3</em>'],
    ["a NULL label as a dash", new Labelled(3, null), '<a href="/shop/makers/3">-</a>&nbsp;<em>3</em>'],
  ];
  for (const [what, cell, markup] of cases) {
    it(`shows ${what}`, () => expect(shown(cell)).to.equal(markup));
  }

  it("shows a quantity with its unit", () => {
    expect(shown(1500, { unit: "gram" })).to.equal("1500 g");
    expect(shown(1500, { unit: "<i>" })).to.equal("1500 &lt;i&gt;");
  });

  const numbers = [
    ["thousands from five digits on", 12345, {}, '<span title="12345">12,345</span>'],
    [
      "thousands of four digits beside numbers of five",
      1234,
      { fewestGroupedDigits: 4 },
      '<span title="1234">1,234</span>',
    ],
    ["four digits as they are", 1815, {}, "1815"],
    [
      "exact large numbers",
      -9007199254740993n,
      {},
      '<span title="-9007199254740993">-9,007,199,254,740,993</span>',
    ],
    ["decimals of the column", new Real(7.5), { decimals: 2 }, '<span title="7.5">7.50</span>'],
    ["whole numbers among others", 7, { decimals: 2 }, "7"],
    ["fixed decimals of the metadata", 7, { decimals: 2, isFixed: true }, '<span title="7">7.00</span>'],
    [
      "longer numbers rounded",
      new Real(3.25159),
      { decimals: 2, isFixed: true },
      '<span title="3.25159">3.25</span>',
    ],
    ["no decimals", new Real(12345.6), { decimals: 0, isFixed: true }, '<span title="12345.6">12,346</span>'],
    ["an exponent as it is stored", new Real(1e300), { decimals: 2, isFixed: true }, "1e+300"],
    [
      "the marks of another language",
      new Real(-1234567.5),
      { decimals: 2, marks: { separator: "\u202f", point: "," } },
      '<span title="-1234567.5">-1\u202f234\u202f567,50</span>',
    ],
    ["an infinity", new Real(Infinity), { decimals: 2, isFixed: true }, "inf"],
  ] as const;
  for (const [what, cell, format, markup] of numbers) {
    it(`formats ${what}`, () => {
      const style = {
        numbers: {
          isGrouped: true,
          fewestGroupedDigits: 5,
          decimals: null,
          isFixed: false,
          marks: null,
          ...format,
        },
      };
      expect(shown(cell, style)).to.equal(markup);
    });
  }

  it("shows a BLOB that can't be fetched without a link", () => {
    expect(shown(new Uint8Array(2), { blobHref: () => null })).to.equal("&lt;Binary:&nbsp;2&nbsp;bytes&gt;");
  });

  it("escapes text of plugins and takes their markup as it is", () => {
    expect(pluginMarkup("<b>")).to.equal("&lt;b&gt;");
    expect(pluginMarkup(html`<b>${"<"}</b>`)).to.equal("<b>&lt;</b>");
  });
});

describe("long text in a cell", () => {
  const cases: readonly (readonly [text: string, limit: number, cut: string])[] = [
    ["abcdef", 6, "abcdef"],
    ["abcdefg", 6, "abcdef…"],
    ["abcdefg", 0, "abcdefg"],
    ["😀😀😀", 3, "😀😀😀"],
    ["😀😀😀", 2, "😀😀…"],
  ];
  for (const [text, limit, cut] of cases) {
    it(`is cut to ${limit} characters: ${text} is ${cut}`, () =>
      expect(shortText(text, limit)).to.equal(cut));
  }

  const addresses: readonly (readonly [address: string, limit: number, cut: string])[] = [
    ["https://example.com/anvil.png", 12, "https://….png"],
    ["https://example.com/anvil", 10, "https://e…"],
    ["https://example.com/a.longer", 10, "https://e…"],
    ["https://e.x", 11, "https://e.x"],
  ];
  for (const [address, limit, cut] of addresses) {
    it(`keeps an address's extension where it is short: ${address} is ${cut}`, () =>
      expect(shortAddress(address, limit)).to.equal(cut));
  }
});

describe("the kind of a cell", () => {
  const cases: readonly (readonly [Cell, string])[] = [
    [1, "int"],
    [1n, "int"],
    [new Real(1), "float"],
    ["1", "str"],
    [new Uint8Array(1), "bytes"],
    [null, "none"],
    [new Labelled("a", "b"), "str"],
  ];
  for (const [cell, kind] of cases) {
    it(`is ${kind} for ${String(cell)}`, () => expect(cellKind(cell)).to.equal(kind));
  }
});
