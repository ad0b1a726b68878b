import { expect } from "chai";
import { Real } from "rowhouse/plugin-api/engine";
import type { Column, Table } from "rowhouse/plugin-api";
import {
  pagingClause,
  readPosition,
  writeToken,
  type LastRow,
} from "../../../plugins/tables/page-position.js";
import { sqliteDialect } from "../../harness/sqlite-dialect.js";
import type { Order } from "../../../plugins/tables/page-arguments.js";
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
const byA: Order = [{ column: "a", descending: false }];
const byADesc: Order = [{ column: "a", descending: true }];
const unsorted: Order = [];
const byBoth: Order = [...byADesc, { column: "c", descending: false }];

const START = { after: null, offset: 0 };
const whereAfter = (token: string, facts = single, order = unsorted) =>
  pagingClause({ dialect: sqliteDialect, source: "t" }, readPosition(token, facts, order), facts, order);

describe("the condition of a later page", () => {
  const cases = [
    ["5", single, unsorted, "((b > :p0))", { p0: "5" }],
    ["x,5", compound, unsorted, "((a > :p0)\n  or\n(a = :p0 and b > :p1))", { p0: "x", p1: "5" }],
    ["5", rowids, unsorted, "rowid > :p0", { p0: "5" }],
    ["m,5", single, byA, "(a > :p1 or (a = :p1 and ((b > :p0))))", { p0: "5", p1: "m" }],
    ["$null,5", single, byA, "(a is not null or (a is null and ((b > :p0))))", { p0: "5" }],
    ["m,5", single, byADesc, "(a < :p1 or a is null or (a = :p1 and ((b > :p0))))", { p0: "5", p1: "m" }],
    ["$null,5", single, byADesc, "(a is null and ((b > :p0)))", { p0: "5" }],
    ["5", single, byADesc, "(a is null and ((b > :p0)))", { p0: "5" }],
    [
      "m,3,5",
      single,
      byBoth,
      "(a < :p1 or a is null or (a = :p1 and (c > :p2 or (c = :p2 and ((b > :p0))))))",
      { p0: "5", p1: "m", p2: "3" },
    ],
    [
      "$null,3,5",
      single,
      byBoth,
      "(a is null and (c > :p1 or (c = :p1 and ((b > :p0)))))",
      { p0: "5", p1: "3" },
    ],
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
    const clause = whereAfter("1,5", single, [{ column: "any", descending: false }]);

    expect(clause?.executedWhere).to.include("coalesce((select any from t where b = :p0), :p1)");
  });

  it("is none where pages are counted off", () => {
    expect(readPosition("20", view, unsorted)).to.deep.equal({ after: null, offset: 20 });
    expect(whereAfter("20", view)).to.equal(null);
  });
});

describe("a token that does not fit", () => {
  const cases = [
    ["x", compound, unsorted],
    ["x,1,2", compound, unsorted],
    ["x,1", compound, byA],
    ["x,y,z", single, byA],
    ["x,5", single, byBoth],
    ["abc", view, unsorted],
    ["-1", view, unsorted],
    ["1e3", view, unsorted],
  ] as const;
  for (const [token, facts, sort] of cases) {
    it(`is refused: ${token}`, () => {
      expect(() => readPosition(token, facts, sort)).to.throw("Invalid _next token");
    });
  }
});

describe("the token of the next page", () => {
  const cases: readonly (readonly [title: string, token: string, facts: typeof single, last: LastRow])[] = [
    ["is the key", "7", single, { key: [7], sortValues: [] }],
    ["keeps 64 bits", "9007199254740993", single, { key: [9007199254740993n], sortValues: [] }],
    ["encodes each part", "a~2Cb,d+4", compound, { key: ["a,b", "d 4"], sortValues: [] }],
    ["begins with the sort value", "20~2E0,7", single, { key: [7], sortValues: [new Real(20)] }],
    ["has the value of each column", "$null,2,7", single, { key: [7], sortValues: [null, 2] }],
    ["tells NULL", "$null,7", single, { key: [7], sortValues: [null] }],
    ["tells the text $null from NULL", "~24null,7", single, { key: [7], sortValues: ["$null"] }],
    [
      "writes an infinity as a number too big",
      "-9e999,7",
      single,
      { key: [7], sortValues: [new Real(-Infinity)] },
    ],
    ["counts on over a NULL key", "$offset2", single, { key: [null], sortValues: [] }],
    ["counts on over a key of bytes", "$offset2", single, { key: [new Uint8Array([1])], sortValues: [] }],
    [
      "counts on over a key that is not UTF-8",
      "$offset2",
      tableFacts(table(["a"])),
      { key: ["\ufffd("], sortValues: [] },
    ],
    [
      "counts on over a sort value that is not UTF-8",
      "$offset2",
      single,
      { key: [7], sortValues: ["\ufffd("] },
    ],
    ["counts on where a column has no affinity", "$offset2", withoutAffinity, { key: ["1"], sortValues: [] }],
    [
      "counts on over a key that is an empty text",
      "$offset2",
      tableFacts(table(["a"])),
      { key: [""], sortValues: [] },
    ],
    ["is the offset of a view", "2", view, { key: [], sortValues: [] }],
  ];
  for (const [title, token, facts, last] of cases) {
    it(title, () => {
      expect(writeToken(facts, START, 2, last)).to.equal(token);
    });
  }

  it("continues with an offset after the last known row", () => {
    const position = readPosition("x,5,$offset20", single, byA);

    expect(position.offset).to.equal(20);
    expect(writeToken(single, position, 10, { key: [null], sortValues: [] })).to.equal("x,5,$offset30");
  });
});
