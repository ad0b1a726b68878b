import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const WORDS = ["a", "b", "z", "-", "]", "[a", "^", ":", ".", "\\\\", "ab", "", "a\n", "\u{1f600}"];
const NUMBERS = ["1e308", "-1e308", "0", "1e-300", "1.5"];

const SCRIPT = `
  create table words (id integer primary key, word text);
  insert into words values ${WORDS.map((word, index) => `(${index}, '${word}')`).join(", ")};
  create table numbers (id integer primary key, number double precision);
  insert into numbers values ${NUMBERS.map((number, index) => `(${index}, ${number})`).join(", ")};`;

const FILTERS = [
  ...[
    "[z-a]",
    "[z-a]*",
    "[a",
    "a[",
    "[[:alpha:]]*",
    "[]a]*",
    "[^]a]*",
    "[a-]*",
    "[]-z]*",
    "[\\\\a]",
    "[^a-z]",
    "?",
    "",
  ].map((glob) => `words.json?word__glob=${encodeURIComponent(glob)}`),
  ...[
    "exact=1e400",
    "not=1e400",
    "gt=1e400",
    "lt=1e400",
    "gt=-1e400",
    "gt=1e-400",
    "exact=-1e-400",
    "in=1e400,1.5",
  ].map((filter) => `numbers.json?number__${filter}`),
];

describePostgres("a filter of a Postgres database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor({ sql: SCRIPT });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const filter of FILTERS) {
    it(`finds the rows that it finds in SQLite: ${decodeURIComponent(filter)}`, async () => {
      const [found, expected] = await Promise.all(
        ["shop", "library"].map((database) => rowhouse.get(`/${database}/${filter}&_shape=array&_col=id`)),
      );

      expect(found?.status, found?.text).to.equal(200);
      expect(found?.json).to.deep.equal(expected?.json);
    });
  }
});
