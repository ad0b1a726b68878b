import { expect } from "chai";
import type { Table } from "rowhouse/plugin-api";
import { sqliteDialect } from "../../harness/sqlite-dialect.js";
import { operators, findOperator } from "../../../plugins/tables/operators.js";

type Expected = readonly [
  operator: string,
  value: string,
  where: string,
  values: readonly unknown[],
  says: string,
  publishedWhere?: string,
];

const cases: readonly Expected[] = [
  ["exact", "Anvil", '"c" = :p0', ["Anvil"], 'c = "Anvil"'],
  ["exact", "12", '"c" = :p0', ["12"], "c = 12"],
  ["not", "x", '"c" != :p0', ["x"], 'c != "x"'],
  ["contains", "50%", '"c" like :p0', ["%50%%"], 'c contains "50%"'],
  ["notcontains", "50%", '"c" not like :p0', ["%50%%"], 'c does not contain "50%"'],
  ["endswith", "x", '"c" like :p0', ["%x"], 'c ends with "x"'],
  ["startswith", "x", '"c" like :p0', ["x%"], 'c starts with "x"'],
  ["gt", "5", '"c" > :p0', [5], "c > 5"],
  ["gt", "-5", '"c" > :p0', ["-5"], "c > -5"],
  ["gte", "12.5", '"c" >= :p0', ["12.5"], "c ≥ 12.5"],
  ["lt", "9007199254740993", '"c" < :p0', [9007199254740993n], "c < 9007199254740993"],
  ["lte", "9223372036854775808", '"c" <= :p0', ["9223372036854775808"], "c ≤ 9223372036854775808"],
  ["like", "a_", '"c" like :p0', ["a_"], 'c like "a_"'],
  ["notlike", "a_", '"c" not like :p0', ["a_"], 'c not like "a_"'],
  ["glob", "a*", '"c" glob :p0', ["a*"], 'c glob "a*"'],
  ["in", "1, 2", "c in (:p0, :p1)", ["1", "2"], 'c in ["1", "2"]'],
  ["in", '[1, "a,b"]', "c in (:p0, :p1)", [1, "a,b"], 'c in [1, "a,b"]'],
  ["in", "", "c in (:p0)", [""], 'c in [""]'],
  ["notin", "1", "c not in (:p0)", ["1"], 'c not in ["1"]'],
  [
    "arraycontains",
    "x",
    ":p0 in (select value from json_each(nullif([t].[c], '')))",
    ["x"],
    'c contains "x"',
    ":p0 in (select value from json_each([t].[c]))",
  ],
  [
    "arraynotcontains",
    "x",
    ":p0 not in (select value from json_each(nullif([t].[c], '')))",
    ["x"],
    'c does not contain "x"',
    ":p0 not in (select value from json_each([t].[c]))",
  ],
  ["date", "2024-01-02", 'date("c") = :p0', ["2024-01-02"], '"c" is on date 2024-01-02'],
  ["isnull", "0", '"c" is null', [], "c is null"],
  ["notnull", "", '"c" is not null', [], "c is not null"],
  ["isblank", "1", `("c" is null or "c" = '')`, [], "c is blank", '("c" is null or "c" = "")'],
  [
    "notblank",
    "1",
    `("c" is not null and "c" != '')`,
    [],
    "c is not blank",
    '("c" is not null and "c" != "")',
  ],
];

const table = (name: string): Table => ({
  name,
  kind: "table",
  sql: null,
  columns: [],
  primaryKeys: [],
  hasRowid: true,
  rowidName: "rowid",
  foreignKeys: [],
  incoming: [],
  indexes: [],
  triggers: [],
  fullText: null,
  shadowOf: null,
  module: null,
  rootPage: null,
});

/** The condition of an operator in the SQL of SQLite. */
function condition(name: string, value: string, of = table("t"), column = "c") {
  const comparison = findOperator(name)?.comparison(value, column);
  return comparison === undefined ? undefined : sqliteDialect.filter({ table: of, name: column }, comparison);
}

describe("operators of column filters", () => {
  for (const [name, value, where, values, says, publishedWhere] of cases) {
    it(`${name} of ${JSON.stringify(value)}`, () => {
      const operator = findOperator(name);

      const published = publishedWhere === undefined ? {} : { publishedWhere };
      expect(condition(name, value)).to.deep.equal({ where, ...published, values });
      expect(operator?.describe("c", value)).to.equal(says);
    });
  }

  it("quote every name whatever is in it", () => {
    const exact = condition("exact", "1", table("t"), 'a"b');
    const within = condition("in", "1", table("t"), "a]b");
    const array = condition("arraycontains", "1", table("x]"), "a]b");

    expect(exact?.where).to.equal('"a""b" = :p0');
    expect(within?.where).to.equal('"a]b" in (:p0)');
    expect(array?.where).to.equal(':p0 in (select value from json_each(nullif("x]"."a]b", \'\')))');
  });

  for (const value of ["[1", "[[1]]", '[{"a": 1}]']) {
    it(`refuse the list ${value}, naming the argument`, () => {
      expect(() => condition("in", value)).to.throw("Invalid JSON in c__in");
    });
  }

  it("are found by their own names only", () => {
    expect(findOperator("constructor")).to.equal(undefined);
    expect(findOperator("__proto__")).to.equal(undefined);
  });

  it("are in the order of the menu, those without a value last", () => {
    expect(operators.map(({ label }) => label).slice(0, 7)).to.deep.equal([
      "=",
      "!=",
      "contains",
      "does not contain",
      "ends with",
      "starts with",
      ">",
    ]);
    expect(operators.filter(({ takesValue }) => !takesValue).map(({ name }) => name)).to.deep.equal([
      "isnull",
      "notnull",
      "isblank",
      "notblank",
    ]);
  });
});
