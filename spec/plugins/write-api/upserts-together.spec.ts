import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";
import { describePostgres } from "../../harness/postgres.js";

const upsert = (rowhouse: TestRowhouse, json: object, as = "root", path = "library/t"): Promise<TestReply> =>
  rowhouse.post(`/${path}/-/upsert`, { as, json });

const each = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const TABLE = "create table t (id integer primary key, name text unique, level real)";

describe("upserts that come together", () => {
  it("change the rows that exist, insert the others, and keep what a request does not name", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${TABLE}; insert into t values (1, 'old', 7), (2, 'kept', 8)`,
    });

    const replies = await each(30, (index) =>
      upsert(rowhouse, { rows: [{ id: index + 1, name: index === 1 ? "kept" : `n${index}` }] }),
    );

    expect(replies.map(({ status, json }) => [status, json])).to.deep.equal(
      replies.map(() => [200, { ok: true }]),
    );
    const rows = await rowhouse.rows("t");
    expect(rows.slice(0, 3)).to.deep.equal([
      { id: 1, name: "n0", level: 7 },
      { id: 2, name: "kept", level: 8 },
      { id: 3, name: "n2", level: null },
    ]);
    expect(rows).to.have.length(30);
    expect(rowhouse.events.filter(({ name }) => name === "upsert-rows")).to.have.length(30);
  });

  it("fail alone, and leave nothing of the failed request behind", async () => {
    const rowhouse = await rowhouseFor({ sql: `${TABLE}; insert into t values (100, 'taken', 1)` });

    const replies = await each(30, (index) =>
      upsert(rowhouse, {
        rows: [
          { id: 2 * index + 1, name: `a${index}` },
          { id: 2 * index + 2, name: index % 5 === 0 ? "taken" : `b${index}` },
        ],
      }),
    );

    expect(replies.map(({ status }) => status)).to.deep.equal(
      replies.map((_, index) => (index % 5 === 0 ? 400 : 200)),
    );
    expect(replies[5]?.json).to.deep.equal({ ok: false, errors: ["UNIQUE constraint failed: t.name"] });
    expect(await rowhouse.rows("t")).to.have.length(1 + 24 * 2);
  });

  it("change the same row in their order", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });

    await each(20, (index) => upsert(rowhouse, { rows: [{ id: 1, name: `n${index}`, level: index }] }));

    const [row, ...others] = await rowhouse.rows("t");
    expect(others).to.deep.equal([]);
    expect(row).to.deep.equal({ id: 1, name: `n${row?.["level"]}`, level: row?.["level"] });
  });

  it("change no row that their actor can't read, also after one who can has sent the same columns", async () => {
    const mine = definePlugin({
      name: "mine",
      read_scope: (_rowhouse, { actor }) =>
        actor?.id === "root" ? null : [{ table: "t", where: "name <> 'secret'" }],
    });
    const rowhouse = await rowhouseFor({
      sql: `${TABLE}; insert into t values (1, 'open', 1), (2, 'secret', 2)`,
      plugins: [mine],
      metadata: { permissions: { "insert-row": true, "update-row": true } },
    });

    const replies = await Promise.all([
      upsert(rowhouse, { rows: [{ id: 1, name: "changed" }] }),
      upsert(rowhouse, { rows: [{ id: 2, name: "taken" }] }, "ann"),
      upsert(rowhouse, { rows: [{ id: 3, name: "fresh" }] }, "ann"),
    ]);

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 400, 200]);
    expect((await rowhouse.rows("t")).map(({ name }) => name)).to.deep.equal(["changed", "secret", "fresh"]);
  });
});

describe("an upsert of a row that exists", () => {
  it("fires no trigger of inserts", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${TABLE}; insert into t values (1, 'old', 1); create table log (id integer);
        create trigger noted before insert on t begin insert into log values (new.id); end`,
    });

    await upsert(rowhouse, { rows: [{ id: 1, name: "new" }] });
    await upsert(rowhouse, { rows: [{ id: 2, name: "another" }] });

    expect(await rowhouse.rows("t")).to.deep.equal([
      { id: 1, name: "new", level: 1 },
      { id: 2, name: "another", level: null },
    ]);
    expect(await rowhouse.query("select id from log")).to.deep.equal([{ id: 2 }]);
  });

  it("is not checked with defaults in place of what it does not name", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table t (id integer primary key, name text, level integer default 0 check (level > 0));
        insert into t values (1, 'old', 1)`,
    });

    const replies = [
      await upsert(rowhouse, { rows: [{ id: 1, name: "new" }] }),
      await upsert(rowhouse, { rows: [{ id: 2, name: "another" }] }),
    ];

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 400]);
    expect(await rowhouse.rows("t")).to.deep.equal([{ id: 1, name: "new", level: 1 }]);
  });
});

describePostgres("upserts that come together on PostgreSQL", (server) => {
  it("are refused alone, also if another one changes the same row right after", async () => {
    const uri = await server().createDatabase("create table t (id int primary key, name text not null)");
    const rowhouse = await rowhouseFor({});
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    const replies = await each(20, (index) => {
      const name = index % 5 === 0 ? null : `name ${index}`;
      return upsert(rowhouse, { rows: [{ id: 1, name }] }, "root", "shop/t");
    });

    expect(replies.map(({ status }) => status)).to.deep.equal(
      replies.map((_, index) => (index % 5 === 0 ? 400 : 200)),
    );
  });

  it("change the same row in several requests, and fail alone", async () => {
    const uri = await server().createDatabase(
      "create table t (id int primary key, name text not null); insert into t values (1, 'old')",
    );
    const rowhouse = await rowhouseFor({});
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    const replies = await each(20, (index) => {
      const rows = [
        { id: 1, name: `first ${index}` },
        { id: 1, name: `last ${index}` },
        { id: 10 + index, name: index % 5 === 0 ? null : `own ${index}` },
      ];
      return upsert(rowhouse, { rows }, "root", "shop/t");
    });

    expect(replies.map(({ status }) => status)).to.deep.equal(
      replies.map((_, index) => (index % 5 === 0 ? 400 : 200)),
    );
    const { json } = await rowhouse.get("/shop/t.json?_shape=arrays&_size=100", { as: "root" });
    const [first, ...others] = json.rows;
    expect(first[1]).to.match(/^last \d+$/);
    expect(others.map(([, name]: [number, string]) => name)).to.deep.equal(
      replies.flatMap(({ status }, index) => (status === 200 ? [`own ${index}`] : [])),
    );
  });
});
