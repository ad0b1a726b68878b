import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Actor } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const BOOKS = "id integer primary key, title text not null unique";
const KEPT = "_rowhouse_idempotency";

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books: BOOKS }, ...contents });

interface Asked {
  readonly key?: string;
  readonly as?: string;
  readonly action?: string;
}

const insert = (
  rowhouse: TestRowhouse,
  json: object,
  { key = "k1", as = "root", action = "insert" }: Asked = {},
): Promise<TestReply> =>
  rowhouse.post(`/library/books/-/${action}`, { as, json, headers: { "idempotency-key": key } });

const titles = async (rowhouse: TestRowhouse): Promise<unknown[]> =>
  (await rowhouse.rows("books")).map(({ title }) => title);

/** The title is in the table and in the index of its unique column. */
const STORED_AND_INDEXED = 2;

/** Root with a token for these actions on books. */
const limited = (...actions: readonly string[]): Actor => ({
  id: "root",
  token: "rhtok",
  _r: { r: { library: { books: actions } } },
});

describe("Idempotency-Key", () => {
  const row = { row: { title: "Emma" } };

  it("answers a repeated request as the first one was, and inserts once", async () => {
    const rowhouse = await library();

    const first = await insert(rowhouse, row);
    const second = await insert(rowhouse, row);

    expect([second.status, second.text]).to.deep.equal([first.status, first.text]);
    expect(first.headers["idempotency-replayed"]).to.equal(undefined);
    expect(second.headers["idempotency-replayed"]).to.equal("true");
    expect(await titles(rowhouse)).to.deep.equal(["Emma"]);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["insert-rows"]);
  });

  it("stores replies that no other actor can read in any way", async () => {
    const rowhouse = await library();
    const secret = { row: { title: "A well-kept secret" } };
    const first = await insert(rowhouse, secret);

    const sql = await rowhouse.get(`/library.json?sql=select+*+from+${KEPT}`);
    const file = await readFile(rowhouse.file(), "latin1");
    await rowhouse.query("delete from books");

    expect(sql.text).not.to.include("secret");
    expect(file.split("A well-kept secret")).to.have.length(1 + STORED_AND_INDEXED);
    expect((await insert(rowhouse, secret)).text).to.equal(first.text);
  });

  it("inserts once, however many send the same at the same time", async () => {
    const rowhouse = await library({ tables: { books: "id integer primary key, title text" } });

    const replies = await Promise.all(Array.from({ length: 10 }, () => insert(rowhouse, row)));

    expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
    expect(await titles(rowhouse)).to.deep.equal(["Emma"]);
    expect(rowhouse.events).to.have.length(1);
  });

  it("serves a body that is read row by row", async () => {
    const rowhouse = await library({ tables: { books: "id integer primary key, title text" } });
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    const send = (body: string, query = ""): Promise<TestReply> =>
      rowhouse.post(`/library/books/-/insert${query}`, {
        token,
        body,
        headers: { "content-type": "text/csv", "idempotency-key": "csv" },
      });

    expect((await send("title\na\nb\n")).json).to.deep.equal({ ok: true, row_count: 2 });
    expect((await send("title\na\nb\n")).json).to.deep.equal({ ok: true, row_count: 2 });
    expect((await send("title\na\nc\n")).status).to.equal(422);
    expect((await send("title\na\nb\n", "?delimiter=tab")).status).to.equal(422);
    expect(await titles(rowhouse)).to.deep.equal(["a", "b"]);
  });

  it("serves upserts and batches", async () => {
    const rowhouse = await library({ tables: { books: "id integer primary key, title text" } });
    const operations = [{ op: "insert", table: "books", row: { title: "batched" } }];
    const send = (): Promise<TestReply> =>
      rowhouse.post("/library/-/batch", {
        as: "root",
        json: { operations },
        headers: { "idempotency-key": "b" },
      });

    const first = await send();
    expect((await send()).text).to.equal(first.text);
    await insert(rowhouse, { row: { id: 9, title: "u" } }, { action: "upsert" });
    await rowhouse.query("update books set title = 'changed' where id = 9");
    const again = await insert(rowhouse, { row: { id: 9, title: "u" } }, { action: "upsert" });
    expect(again.json.rows).to.deep.equal([{ id: 9, title: "u" }]);
    expect(await titles(rowhouse)).to.deep.equal(["batched", "changed"]);
  });

  it("refuses another request under the same key", async () => {
    const rowhouse = await library();
    await insert(rowhouse, row);

    for (const [json, action] of [
      [{ row: { title: "Persuasion" } }, "insert"],
      [{ row: { id: 5, title: "Emma" } }, "upsert"],
    ] as const) {
      const reply = await insert(rowhouse, json, { action });
      expect([reply.status, reply.json]).to.deep.equal([
        422,
        { ok: false, errors: ["This Idempotency-Key was used for another request"] },
      ]);
    }
    expect(await titles(rowhouse)).to.deep.equal(["Emma"]);
  });

  it("keeps the keys of one actor from those of another", async () => {
    const rowhouse = await library({
      metadata: { databases: { library: { permissions: { "insert-row": { id: ["ann", "bob"] } } } } },
    });

    await insert(rowhouse, { row: { title: "of ann" } }, { as: "ann" });
    const other = await insert(rowhouse, { row: { title: "of bob" } }, { as: "bob" });

    expect(other.status).to.equal(201);
    expect(await titles(rowhouse)).to.deep.equal(["of ann", "of bob"]);
  });

  it("gives a token no reply that was for an actor with other permissions", async () => {
    const rowhouse = await library();
    const batch = {
      operations: [{ op: "update", table: "books", key: 1, update: { title: "Persuasion" } }],
      undo: true,
    };
    const send = (as: Actor): Promise<TestReply> =>
      rowhouse.post("/library/-/batch", { as, json: batch, headers: { "idempotency-key": "k1" } });
    await insert(rowhouse, row, { key: "k0" });

    expect((await send({ id: "root" })).text).to.include("Emma");
    const replayed = await send(limited("ur"));
    expect(replayed.status, replayed.text).to.equal(422);
    expect(replayed.text).not.to.include("Emma");

    const other = { "idempotency-key": "k2" };
    const tokens = [limited("ur"), limited("ur"), limited("ur", "ir")];
    const statuses: number[] = [];
    for (const as of tokens)
      statuses.push((await rowhouse.post("/library/-/batch", { as, json: batch, headers: other })).status);
    expect(statuses).to.deep.equal([200, 200, 422]);
  });

  it("keeps nothing of a request that failed: it may be corrected and sent again", async () => {
    const rowhouse = await library();

    expect((await insert(rowhouse, { row: { title: null } })).status).to.equal(400);
    expect((await insert(rowhouse, row)).status).to.equal(201);
    expect(await titles(rowhouse)).to.deep.equal(["Emma"]);
  });

  it("asks for permission every time", async () => {
    const rowhouse = await library();
    const token = await rowhouse.rowhouse
      .service("tokens")
      .createToken("root", { restrictAll: ["view-table"] });
    await insert(rowhouse, row);

    const reply = await rowhouse.post("/library/books/-/insert", {
      token,
      json: row,
      headers: { "idempotency-key": "k1" },
    });

    expect(reply.status).to.equal(403);
  });

  it("forgets a key after some hours", async () => {
    const rowhouse = await library({ tables: { books: "id integer primary key, title text" } });
    await insert(rowhouse, row);
    await rowhouse.query(`update ${KEPT} set created = created - 86400`);

    expect((await insert(rowhouse, row)).headers["idempotency-replayed"]).to.equal(undefined);
    expect(await titles(rowhouse)).to.deep.equal(["Emma", "Emma"]);
    expect(await rowhouse.rows(KEPT)).to.have.length(1);
  });

  for (const key of ["", "x".repeat(256)]) {
    it(`refuses a key of ${key.length} characters`, async () => {
      const rowhouse = await library();

      const reply = await insert(rowhouse, row, { key });

      expect([reply.status, reply.json.errors]).to.deep.equal([
        400,
        ["Idempotency-Key must be 1 to 255 ASCII characters"],
      ]);
      expect(await titles(rowhouse)).to.deep.equal([]);
    });
  }

  it("creates its table when a key is first used, and no actor may view or write it", async () => {
    const rowhouse = await library();
    await rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { title: "a" } } });
    expect(await rowhouse.query(`select name from sqlite_schema where name = '${KEPT}'`)).to.deep.equal([]);
    await insert(rowhouse, row);

    expect((await rowhouse.get(`/library/${KEPT}.json`, { as: "root" })).status).to.equal(403);
    const { json } = await rowhouse.get("/library.json", { as: "root" });
    expect(json.tables.map(({ name }: { name: string }) => name)).to.deep.equal(["books"]);
    const written = await rowhouse.post(`/library/${KEPT}/-/delete`, { as: "root", json: { all: true } });
    expect(written.json.errors).to.deep.equal([`Table is not writable: ${KEPT}`]);
    const made = await rowhouse.post("/library/-/create", {
      as: "root",
      json: { table: KEPT.toUpperCase(), columns: [{ name: "a" }] },
    });
    expect(made.json.errors).to.deep.equal(["Invalid table name"]);
  });
});
