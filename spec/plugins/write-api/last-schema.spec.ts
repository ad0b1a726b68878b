import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";
import { openRaw } from "../../harness/raw-sqlite.js";

const insert = (rowhouse: TestRowhouse, row: object, table = "t"): Promise<TestReply> =>
  rowhouse.post(`/library/${table}/-/insert`, { as: "root", json: { row } });

/** Another program at work on the same file. */
async function fromOutside(rowhouse: TestRowhouse, script: string): Promise<void> {
  const raw = await openRaw(rowhouse.file());
  await raw.run(`pragma busy_timeout = 20000; ${script}`);
  await raw.close();
}

const TABLE = "create table t (id integer primary key, name text)";

describe("inserting while the schema changes", () => {
  for (const journal of ["delete", "wal"]) {
    it(`uses the current schema, also after changes by other programs (${journal})`, async () => {
      const rowhouse = await rowhouseFor({ sql: `${TABLE}; pragma journal_mode = ${journal}` });
      const tell = async (row: object, table?: string): Promise<unknown> => {
        const { status, json } = await insert(rowhouse, row, table);
        return status === 201 ? json.rows[0] : [status, json.errors ?? json.error];
      };
      expect(await tell({ name: "a" })).to.deep.equal({ id: 1, name: "a" });
      expect(await tell({ name: "b", year: 1 })).to.deep.equal([400, ["Row 0 has invalid columns: year"]]);

      await fromOutside(rowhouse, "alter table t add column year");
      expect(await tell({ name: "b", year: 1 })).to.deep.equal({ id: 2, name: "b", year: 1 });

      await fromOutside(rowhouse, "alter table t rename column name to title");
      expect(await tell({ name: "c" })).to.deep.equal([400, ["Row 0 has invalid columns: name"]]);
      expect(await tell({ title: "c" })).to.deep.equal({ id: 3, title: "c", year: null });

      await fromOutside(rowhouse, "create table u (key text primary key)");
      expect(await tell({ key: "a" }, "u")).to.deep.equal({ key: "a" });

      await fromOutside(
        rowhouse,
        "drop table t; create table t (id integer primary key, title as (id * 2), x)",
      );
      expect(await tell({ x: 1 })).to.deep.equal({ id: 1, title: 2, x: 1 });

      await fromOutside(rowhouse, "drop table t; create view t as select 1 as x");
      expect(await tell({ x: 1 })).to.deep.equal([404, ["Table not found: t"]]);
      await fromOutside(rowhouse, "drop view t");
      expect(await tell({ x: 1 })).to.deep.equal([404, ["Table not found: t"]]);
    });
  }

  it("asks to confirm a drop only for a table of the moment", async () => {
    const rowhouse = await rowhouseFor({ sql: `${TABLE}; create table u (id integer primary key)` });
    const drop = async (table: string, json: object): Promise<unknown> => {
      const reply = await rowhouse.post(`/library/${table}/-/drop`, { as: "root", json });
      return [reply.status, reply.json.errors ?? reply.json.row_count ?? reply.json.ok];
    };
    expect(await drop("t", { confirm: true })).to.deep.equal([200, true]);
    expect(await drop("t", {})).to.deep.equal([404, ["Table not found: t"]]);

    expect(await drop("u", {})).to.deep.equal([200, 0]);
    await fromOutside(rowhouse, "drop table u; create view u as select 1 as x; create table w (x)");
    expect(await drop("u", {})).to.deep.equal([404, ["Table not found: u"]]);
    expect(await drop("w", {})).to.deep.equal([200, 0]);
  });

  it("finds a row by the key of the moment", async () => {
    const rowhouse = await rowhouseFor({ sql: `${TABLE}; insert into t values (1, 'a')` });
    expect((await insert(rowhouse, { name: "b" })).status).to.equal(201);

    await fromOutside(rowhouse, "alter table t rename column id to key");
    const update = await rowhouse.post("/library/t/1/-/update", {
      as: "root",
      json: { update: { name: "c" }, return: true },
    });

    expect([update.status, update.json]).to.deep.equal([200, { ok: true, row: { key: 1, name: "c" } }]);
  });

  for (const [endpoint, body, rows] of [
    ["upsert", { rows: [{ key: 1, name: "b" }] }, [{ key: 1, name: "b" }]],
    ["update", { filters: { key: 1 }, update: { name: "c" } }, [{ key: 1, name: "c" }]],
    ["delete", { filters: { key: 1 } }, []],
  ] as const) {
    it(`prepares again what was prepared for an old schema: ${endpoint}`, async () => {
      const rowhouse = await rowhouseFor({ sql: `${TABLE}; insert into t values (1, 'a')` });
      await rowhouse.post("/library/t/-/upsert", { as: "root", json: { rows: [{ id: 1, name: "a" }] } });

      await fromOutside(rowhouse, "alter table t rename column id to key");
      const { status, text } = await rowhouse.post(`/library/t/-/${endpoint}`, { as: "root", json: body });

      expect(status, text).to.equal(200);
      expect(await rowhouse.rows("t")).to.deep.equal(rows);
    });
  }

  it("stores each row once, however often others change it meanwhile", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });
    let isOver = false;
    const changes = async (): Promise<number> => {
      let count = 0;
      for (; !isOver; count++) await fromOutside(rowhouse, `alter table t add column c${count}`);
      return count;
    };
    const changing = changes();

    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let at = 0; at < 25; at++) {
        const { status, text } = await insert(rowhouse, { name: `${client}-${at}` });
        expect(status, text).to.equal(201);
      }
    });
    await Promise.all(clients);
    isOver = true;

    expect(await changing).to.be.greaterThan(2);
    const names = (await rowhouse.rows("t")).map(({ name }) => name);
    expect(new Set(names)).to.have.length(8 * 25);
    expect(names).to.have.length(8 * 25);
    expect(rowhouse.events.filter(({ name }) => name === "insert-rows")).to.have.length(8 * 25);
  });

  it("does not reveal a change to actors who may not insert", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE, metadata: { allow: { id: "root" } } });
    expect((await insert(rowhouse, { name: "a" })).status).to.equal(201);
    const refusal = await rowhouse.post("/library/u/-/insert", { as: "ann", json: { row: { id: 1 } } });

    await fromOutside(rowhouse, "create table u (id integer primary key)");
    const again = await rowhouse.post("/library/u/-/insert", { as: "ann", json: { row: { id: 1 } } });

    expect(refusal.status).to.equal(403);
    expect([again.status, again.text]).to.deep.equal([refusal.status, refusal.text]);
  });
});
