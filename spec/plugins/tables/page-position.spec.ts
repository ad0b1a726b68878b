import { expect } from "chai";
import { Real } from "rowhouse/plugin-api/engine";
import type { Column, Table } from "rowhouse/plugin-api";
import { pagingClause, readPosition, writeToken } from "../../../plugins/tables/page-position.js";
import type { LastRow } from "../../../plugins/tables/page-position.js";
import type { Sort } from "../../../plugins/tables/page-arguments.js";
import { tableFacts } from "../../../plugins/tables/table-facts.js";

const column = (name: string, affinity: Column["affinity"]): Column => ({
  name,
  type: affinity,
  affinity,
  notNull: false,
  defaultSql: null,
  primaryKeyPosition: 0,
  hidden: false,
  generated: "no",
});

const table = (primaryKeys: readonly string[], over: Partial<Table> = {}): Table => ({
  name: "t",
  kind: "table",
  sql: null,
  columns: [column("a", "text"), column("b", "integer"), column("any", "blob")],
  primaryKeys,
  hasRowid: true,
  rowidName: "rowid",
  foreignKeys: [],
  incoming: [],
  indexes: [],
  triggers: [],
  fullText: null,
  shadowOf: null,
  module: null,
  rootPage: 2,
  ...over,
});

const single = tableFacts(table(["b"]));
const compound = tableFacts(table(["a", "b"]));
const rowids = tableFacts(table([]));
const view = tableFacts(table([], { kind: "view", hasRowid: false, rowidName: null }));
const withoutAffinity = tableFacts(table(["any"]));
const byA: Sort = { column: "a", descending: false };
const byADesc: Sort = { column: "a", descending: true };

const START = { after: null, offset: 0 };
const whereAfter = (token: string, facts = single, sort: Sort | null = null) =>
  pagingClause(readPosition(token, facts, sort), facts, sort, "t");

describe("the condition of a later page", () => {
  const cases = [
    ["5", single, null, "((b > :p0))", { p0: "5" }],
    ["x,5", compound, null, "((a > :p0)\n  or\n(a = :p0 and b > :p1))", { p0: "x", p1: "5" }],
    ["5", rowids, null, "rowid > :p0", { p0: "5" }],
    ["m,5", single, byA, "(a > :p1 or (a = :p1 and ((b > :p0))))", { p0: "5", p1: "m" }],
    ["$null,5", single, byA, "(a is not null or (a is null and ((b > :p0))))", { p0: "5" }],
    ["m,5", single, byADesc, "(a < :p1 or a is null or (a = :p1 and ((b > :p0))))", { p0: "5", p1: "m" }],
    ["$null,5", single, byADesc, "(a is null and ((b > :p0)))", { p0: "5" }],
    ["5", single, byADesc, "(a is null and ((b > :p0)))", { p0: "5" }],
    ["~24null,5", single, byA, "(a > :p1 or (a = :p1 and ((b > :p0))))", { p0: "5", p1: "$null" }],
  ] as const;
  for (const [token, facts, sort, where, params] of cases) {
    it(`after ${token} is ${where.replaceAll(/\s+/g, " ")}`, () => {
      const clause = whereAfter(token, facts, sort);

      expect(clause?.where).to.equal(where);
      expect(clause?.params).to.deep.equal(params);
    });
  }

  it("takes the value of a column without affinity from the row itself", () => {
    const clause = whereAfter("1,5", single, { column: "any", descending: false });

    expect(clause?.executedWhere).to.include("coalesce((select any from t where b = :p0), :p1)");
  });

  it("is none where pages are counted off", () => {
    expect(readPosition("20", view, null)).to.deep.equal({ after: null, offset: 20 });
    expect(whereAfter("20", view)).to.equal(null);
  });
});

describe("a token that does not fit", () => {
  const cases = [
    ["x", compound, null],
    ["x,1,2", compound, null],
    ["x,1", compound, byA],
    ["x,y,z", single, byA],
    ["abc", view, null],
    ["-1", view, null],
    ["1e3", view, null],
  ] as const;
  for (const [token, facts, sort] of cases) {
    it(`is refused: ${token}`, () => {
      expect(() => readPosition(token, facts, sort)).to.throw("Invalid _next token");
    });
  }
});

describe("the token of the next page", () => {
  const cases: readonly (readonly [title: string, token: string, facts: typeof single, last: LastRow])[] = [
    ["is the key", "7", single, { key: [7] }],
    ["keeps 64 bits", "9007199254740993", single, { key: [9007199254740993n] }],
    ["encodes each part", "a~2Cb,d+4", compound, { key: ["a,b", "d 4"] }],
    ["begins with the sort value", "20~2E0,7", single, { key: [7], sortValue: new Real(20) }],
    ["tells NULL", "$null,7", single, { key: [7], sortValue: null }],
    ["tells the text $null from NULL", "~24null,7", single, { key: [7], sortValue: "$null" }],
    [
      "writes an infinity as a number too big",
      "-9e999,7",
      single,
      { key: [7], sortValue: new Real(-Infinity) },
    ],
    ["counts on over a NULL key", "$offset2", single, { key: [null] }],
    ["counts on over a key of bytes", "$offset2", single, { key: [new Uint8Array([1])] }],
    ["counts on where a column has no affinity", "$offset2", withoutAffinity, { key: ["1"] }],
    ["counts on over a key that is an empty text", "$offset2", tableFacts(table(["a"])), { key: [""] }],
    ["is the offset of a view", "2", view, { key: [] }],
  ];
  for (const [title, token, facts, last] of cases) {
    it(title, () => {
      expect(writeToken(facts, START, 2, last)).to.equal(token);
    });
  }

  it("continues with an offset after the last known row", () => {
    const position = readPosition("x,5,$offset20", single, byA);

    expect(position.offset).to.equal(20);
    expect(writeToken(single, position, 10, { key: [null] })).to.equal("x,5,$offset30");
  });
});
