import { expect } from "chai";
import { StartupError } from "rowhouse/plugin-api";
import { checkShape } from "../../../plugins/metadata/check-shape.js";
import { keysOf, type Level } from "../../../plugins/metadata/kinds.js";

const check = (document: unknown) => checkShape(document, () => "meta.yaml");

const TEXT = "must be text";
const FLAG = "must be true or false";
const SIZE = 'must be a whole number or "max"';
const COLUMN_TYPES =
  "must be an object of column types by column, each a name or an object such as {type: email}";
const NUMBER_FORMATS =
  "must be an object by column, each with decimals (0 to 20), grouping (true or false), or both";
const CONFIG_BY_PLUGIN =
  "must be an object by plugin, without false: only the configuration file switches plugins off";
const TEXTS_BY_COLUMN = "must be an object of texts by column";

/** Of every key values that are refused, and what is said of them. */
const wrongValues: Readonly<Record<string, readonly (readonly [value: unknown, reason: string])[]>> = {
  plugins: [
    ["all", CONFIG_BY_PLUGIN],
    [{ csv: false }, CONFIG_BY_PLUGIN],
  ],
  extra_css_urls: [
    ["/app.css", "must be a list of addresses, or of objects with the key url"],
    [[{ href: "/app.css" }], "must be a list of addresses, or of objects with the key url"],
  ],
  extra_js_urls: [[[1], "must be a list of addresses, or of objects with the key url"]],
  custom_units: [["decibel = [] = dB", "must be a list of texts"]],
  columns: [
    [["a"], TEXTS_BY_COLUMN],
    [{ a: {} }, TEXTS_BY_COLUMN],
  ],
  column_types: [
    [["email"], COLUMN_TYPES],
    [{ a: 1 }, COLUMN_TYPES],
    [{ a: { config: 1 } }, COLUMN_TYPES],
  ],
  units: [[{ a: ["m"] }, TEXTS_BY_COLUMN]],
  number_formats: [
    [["a"], NUMBER_FORMATS],
    [{ a: 2 }, NUMBER_FORMATS],
    [{ a: { decimals: -1 } }, NUMBER_FORMATS],
    [{ a: { grouping: "," } }, NUMBER_FORMATS],
    [{ a: { digits: 2 } }, NUMBER_FORMATS],
  ],
  size: [
    [-1, SIZE],
    [2.5, SIZE],
    ["many", SIZE],
    [[10], SIZE],
  ],
  facet_size: [["all", SIZE]],
  sortable_columns: [["a", "must be a list of column names"]],
  hidden: [["no", FLAG]],
  facets: [
    ["a", "must be a list of columns, or of objects such as {array: column}"],
    [[{ array: "a", date: "b" }], "must be a list of columns, or of objects such as {array: column}"],
    [[{ array: [] }], "must be a list of columns, or of objects such as {array: column}"],
  ],
  sql: [[5, "must be an SQL string"]],
  params: [["a", "must be a list of parameter names"]],
  hide_sql: [["yes", FLAG]],
  write: [[{}, FLAG]],
  unscoped: [["no", FLAG]],
};

const levels: Readonly<Record<Level, { readonly path: string; of(block: object): object }>> = {
  instance: { path: "", of: (block) => block },
  database: { path: "databases.shop.", of: (shop) => ({ databases: { shop } }) },
  table: { path: "databases.shop.tables.t.", of: (t) => ({ databases: { shop: { tables: { t } } } }) },
  query: {
    path: "databases.shop.queries.q.",
    of: (block) => ({ databases: { shop: { queries: { q: { sql: "select 1", ...block } } } } }),
  },
};

describe("The shape of metadata at the start", () => {
  for (const [level, keys] of Object.entries(keysOf) as [Level, object][]) {
    for (const key of Object.keys(keys)) {
      const texts = [
        [["a"], TEXT],
        [{ a: 1 }, TEXT],
      ] as const;
      it(`stops at a wrong value of ${key} of a ${level}`, () => {
        for (const [value, reason] of wrongValues[key] ?? texts) {
          const { path, of } = levels[level];

          expect(() => check(of({ [key]: value }))).to.throw(
            StartupError,
            `meta.yaml: ${path}${key} ${reason}`,
          );
        }
      });

      it(`takes null for the absence of ${key} of a ${level}`, () => {
        if (key !== "sql") expect(() => check(levels[level].of({ [key]: null }))).not.to.throw();
      });
    }
  }

  const structure = [
    [["a"], "meta.yaml must be an object"],
    [{ databases: [] }, "meta.yaml: databases must be an object"],
    [{ databases: { "my shop": "x" } }, 'meta.yaml: databases["my shop"] must be an object'],
    [{ databases: { shop: { tables: "all" } } }, "meta.yaml: databases.shop.tables must be an object"],
    [{ databases: { shop: { tables: { t: 1 } } } }, "meta.yaml: databases.shop.tables.t must be an object"],
    [
      { databases: { shop: { queries: { q: 5 } } } },
      "meta.yaml: databases.shop.queries.q must be an SQL string or an object with the key sql",
    ],
    [
      { databases: { shop: { queries: { q: { title: "no sql" } } } } },
      "meta.yaml: databases.shop.queries.q.sql must be an SQL string",
    ],
  ] as const;
  for (const [document, message] of structure) {
    it(`stops at ${JSON.stringify(document)}`, () => {
      expect(() => check(document)).to.throw(StartupError, message);
    });
  }

  it("takes what YAML makes of titles and sizes", () => {
    const document = {
      title: 2024,
      databases: {
        shop: {
          description: true,
          tables: {
            t: {
              size: "max",
              facet_size: "20",
              hidden: 1,
              facets: ["a", { date: "b" }, { array: { column: "c" } }],
              columns: { a: 5, b: null },
              sortable_columns: [],
            },
          },
          queries: { plain: "select 1", q: { sql: "select :a", params: ["a"], hide_sql: true } },
        },
      },
    };

    expect(check(document)).to.equal(document);
  });

  it("takes an empty level for an empty block, and keeps unknown keys", () => {
    const document = { anything: [1], databases: { shop: null } };

    expect(check(document)).to.equal(document);
  });
});
