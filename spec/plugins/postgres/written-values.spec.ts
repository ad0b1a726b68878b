import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create table cells (
    id int primary key, numbers int[], words text[], flags bit(8), more varbit(4), at timestamp(0), lasted interval(0),
    bytes bytea, n int, yes boolean, doc json
  );`;

/** Sent values, and what is read then; a pattern of the error if they are rejected. */
const CASES = [
  ["numbers", [1, null, 3], "{1,NULL,3}"],
  ["numbers", [], "{}"],
  ["numbers", null, null],
  [
    "numbers",
    [
      [1, null],
      [3, 4],
    ],
    "{{1,NULL},{3,4}}",
  ],
  ["numbers", "{{1,2},{3,4}}", "{{1,2},{3,4}}"],
  ["numbers", "[0:1][2:3]={{1,2},{3,4}}", "[0:1][2:3]={{1,2},{3,4}}"],
  ["numbers", [[1, 2], [3]], /./],
  [
    "words",
    ["a,b", '"q"\\', null, "NULL", "", "[0:1]={x}", "line\nbreak"],
    '{"a,b","\\"q\\"\\\\",NULL,"NULL","","[0:1]={x}","line\nbreak"}',
  ],
  [
    "words",
    [
      ["[a]", "{b}"],
      ["é", "="],
    ],
    '{{[a],"{b}"},{é,=}}',
  ],
  ["words", ["=", "[="], "{=,[=}"],
  ["flags", "10101010", "10101010"],
  ["flags", "101", /length 3 does not match/],
  ["flags", "1010101011", /length 10 does not match/],
  ["more", "101", "101"],
  ["more", "10101", /too long/],
  ["at", "2024-02-29 12:34:56.789", "2024-02-29 12:34:57"],
  ["lasted", "1.6 seconds", "PT2S"],
  ["words", ["a\0b"], /U\+0000/],
  ["bytes", "\\x41", "\\x41"],
  ["bytes", "a\\b", "a\\b"],
  ["bytes", "a\0b", "a\0b"],
  ["bytes", 5, "5"],
  ["bytes", { $base64: true, encoded: "/w==" }, { $base64: true, encoded: "/w==" }],
  ["n", { $base64: true, encoded: "AAAAAQ==" }, /bytea/],
  ["yes", { $base64: true, encoded: "QQ==" }, /bytea/],
  ["words", { $base64: true, encoded: "QQ==" }, /bytea/],
  ["doc", true, "true"],
  ["n", "12.0", 12],
  ["n", "1.5", /integer/],
] as const;

describePostgres("arrays, bytes and values with a length, written to PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = (path: string, json: object) => rowhouse.post(`/shop/cells/${path}`, { as: "root", json });
  const create = (json: object) => rowhouse.post("/shop/-/create", { as: "root", json });

  for (const [place, [column, sent, read]] of CASES.entries()) {
    it(`stores ${JSON.stringify(sent)} as ${column}, or rejects it`, async () => {
      const id = place * 4;
      await post("-/insert", { rows: [{ id }] });
      const replies = [
        await post("-/insert", { row: { id: id + 1, [column]: sent } }),
        await post(`${id}/-/update`, { update: { [column]: sent } }),
        await post("-/upsert", { rows: [{ id: id + 2, [column]: sent }] }),
        await create({ table: "cells", rows: [{ id: id + 3, [column]: sent }] }),
      ];

      for (const { status, text } of replies) {
        expect(status, text).to.be.oneOf(read instanceof RegExp ? [400] : [200, 201]);
        if (read instanceof RegExp) expect(text).to.match(read);
      }
      if (read instanceof RegExp) return;
      const { json } = await rowhouse.get(
        `/shop/cells.json?_shape=array&_col=${column}&id__gte=${id}&id__lte=${id + 3}`,
      );
      expect(json).to.deep.equal([0, 1, 2, 3].map((more) => ({ id: id + more, [column]: read })));
    });
  }
});
