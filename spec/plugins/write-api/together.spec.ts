import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";

const insert = (rowhouse: TestRowhouse, json: object, table = "t"): Promise<TestReply> =>
  rowhouse.post(`/library/${table}/-/insert`, { as: "root", json });

const each = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const UNIQUE = "create table t (id integer primary key, name text unique, level real)";

describe("inserts that come together", () => {
  it("are answered with their own row each", async () => {
    const rowhouse = await rowhouseFor({ sql: UNIQUE });

    const replies = await each(30, (index) => insert(rowhouse, { row: { name: `n${index}`, level: index } }));

    const answered = replies.map(({ status, json }) => [status, json.rows.length, json.rows[0].name]);
    expect(answered).to.deep.equal(replies.map((_, index) => [201, 1, `n${index}`]));
    const told = replies.map(({ json }) => json.rows[0]).toSorted((one, other) => one.id - other.id);
    expect(told).to.deep.equal(await rowhouse.rows("t"));
  });

  it("fail alone, with the message that they have alone, and send events only for committed writes", async () => {
    const rowhouse = await rowhouseFor({ sql: `${UNIQUE}; insert into t (name) values ('taken')` });

    const replies = await each(30, (index) =>
      insert(rowhouse, { rows: [{ name: index % 5 === 0 ? "taken" : `n${index}` }] }),
    );

    expect(replies.map(({ status }) => status)).to.deep.equal(
      replies.map((_, index) => (index % 5 === 0 ? 400 : 201)),
    );
    expect(replies[5]?.json).to.deep.equal({ ok: false, errors: ["UNIQUE constraint failed: t.name"] });
    expect(await rowhouse.rows("t")).to.have.length(1 + 24);
    expect(rowhouse.events.filter(({ name }) => name === "insert-rows")).to.have.length(24);
  });

  it("may name the same columns in any order, or others", async () => {
    const rowhouse = await rowhouseFor({ sql: UNIQUE });
    const rows = [{ name: "a", level: 1 }, { level: 2.5, name: "b" }, { name: "c" }, { id: 9, name: "d" }];

    const replies = await Promise.all(rows.map((row) => insert(rowhouse, { row })));

    expect(replies.map(({ json }) => [json.rows[0].name, json.rows[0].level])).to.deep.equal([
      ["a", 1],
      ["b", 2.5],
      ["c", null],
      ["d", null],
    ]);
    expect(await rowhouse.rows("t")).to.have.length(4);
  });

  it("leave no part of a request behind that a constraint stops half-way, whatever the table says of conflicts", async () => {
    for (const resolution of ["abort", "fail", "rollback", "ignore"]) {
      const rowhouse = await rowhouseFor({
        sql: `create table t (name text unique on conflict ${resolution}); insert into t values ('taken')`,
      });

      const replies = await each(12, (index) =>
        insert(rowhouse, {
          rows: [{ name: `a${index}` }, { name: index === 5 ? "taken" : `b${index}` }, { name: `c${index}` }],
        }),
      );

      const kept = replies.filter(({ status }) => status === 201).length;
      const halfWay = resolution === "ignore" ? 2 : 0;
      const names = (await rowhouse.rows("t")).map(({ name }) => name);
      expect(names.filter((name) => /^[abc]5$/.test(String(name)))).to.have.length(halfWay, resolution);
      expect(names).to.have.length(1 + (resolution === "ignore" ? kept * 3 - 1 : kept * 3), resolution);
    }
  });

  it("show what triggers made of their rows, and what triggers refuse is refused alone", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${UNIQUE}; create table log (name);
        create trigger shout after insert on t begin
          update t set name = upper(name) where id = new.id; insert into log values (new.name);
        end;
        create trigger never before insert on t when new.level > 20 begin select raise(abort, 'Too high'); end;
        create trigger quietly before insert on t when new.level < 0 begin select raise(ignore); end`,
    });

    const shown = await each(8, (index) =>
      insert(rowhouse, { row: { name: `a${index}`, level: index * 4 } }),
    );
    const rows = await each(8, (index) =>
      insert(rowhouse, { rows: [{ name: `b${index}`, level: index - 1 }] }),
    );

    expect(shown.map(({ json }) => json.rows?.[0].name ?? json.errors[0])).to.deep.equal([
      ...[0, 1, 2, 3, 4, 5].map((index) => `A${index}`),
      "Too high",
      "Too high",
    ]);
    expect(rows.map(({ status }) => status)).to.deep.equal(rows.map(() => 201));
    expect(await rowhouse.rows("log")).to.have.length(6 + 7);
  });

  it("return rows as they are stored: with the types of their columns, defaults and generated columns", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table t (
        r real, i integer, x text, n numeric, b blob, plain, d default 7, at text default 'then',
        twice as (i * 2), thrice as (i * 3) stored
      )`,
    });
    const values = [
      "1",
      "1.0",
      "1e3",
      "0.1",
      "9007199254740993",
      "-0.0",
      '"12"',
      '"x"',
      "null",
      "true",
      "[1]",
    ];

    for (const value of values) {
      const body = `{"row": {${["r", "i", "x", "n", "b", "plain"].map((name) => `"${name}": ${value}`)}}}`;
      const inserted = await rowhouse.post("/library/t/-/insert", {
        as: "root",
        headers: { "content-type": "application/json" },
        body,
      });
      const read = await rowhouse.get("/library/t.json?_shape=objects&_sort_desc=rowid&_size=1", {
        as: "root",
      });

      const { rowid: _, ...stored } = read.json.rows[0];
      expect(inserted.json.rows[0], value).to.deep.equal(stored);
      expect(inserted.text, value).to.include(
        read.text.slice(read.text.indexOf('"r": '), read.text.indexOf('"twice"')),
      );
    }
  });

  it("replace, ignore and add columns as each request says", async () => {
    const rowhouse = await rowhouseFor({ sql: `${UNIQUE}; insert into t values (1, 'one', 1)` });

    const replies = await Promise.all([
      insert(rowhouse, { rows: [{ id: 1, name: "uno" }], replace: true }),
      insert(rowhouse, { rows: [{ id: 1, name: "eins" }], ignore: true }),
      insert(rowhouse, { row: { id: 1, name: "ichi" }, replace: true }),
      insert(rowhouse, { rows: [{ id: 2, name: "two", colour: "red" }], alter: true }),
      insert(rowhouse, { rows: [] }),
    ]);

    expect(replies.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201]);
    expect(replies[2]?.json.rows).to.deep.equal([{ id: 1, name: "ichi", level: null }]);
    const [first, ...others] = await rowhouse.rows("t");
    // Which of those that replace came last is not promised.
    expect(first?.["name"]).to.be.oneOf(["uno", "ichi"]);
    expect(first).to.include({ id: 1, level: null, colour: null });
    expect(others).to.deep.equal([{ id: 2, name: "two", level: null, colour: "red" }]);
  });
});
