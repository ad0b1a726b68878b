import { chmod } from "node:fs/promises";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const READ_ONLY = 0o444;
const WRITABLE = 0o644;

const json = { accept: "application/json" };
const refusal = { ok: false, errors: ["Database file is read-only"] };

const serve = async (): Promise<TestRowhouse> => {
  const rowhouse = await rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    metadata: {
      databases: {
        library: { queries: { add: { sql: "insert into books (title) values ('x')", write: true } } },
      },
    },
  });
  await chmod(rowhouse.file(), READ_ONLY);
  return rowhouse;
};

describe("a database file without permission to write", () => {
  const writes: readonly (readonly [path: string, body: object])[] = [
    ["/library/books/-/insert", { row: { title: "x" } }],
    ["/library/books/-/insert", { rows: [{ title: "x" }, { title: "y" }] }],
    ["/library/books/-/upsert", { rows: [{ id: 1, title: "x" }] }],
    ["/library/books/1/-/update", { update: { title: "x" } }],
    ["/library/books/1/-/delete", {}],
    ["/library/-/create", { table: "made", columns: [{ name: "a" }] }],
    ["/library/-/batch", { operations: [{ op: "delete", table: "books", key: 1 }] }],
    ["/library/books/-/drop", { confirm: true }],
  ];
  for (const [path, body] of writes) {
    it(`is 403 for POST ${path}, whatever user the server runs as`, async () => {
      const rowhouse = await serve();

      const reply = await rowhouse.post(path, { as: "root", json: body });

      expect([reply.status, reply.json]).to.deep.equal([403, refusal]);
      expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "Emma" }]);
    });
  }

  it("is 403 for a canned query that writes", async () => {
    const rowhouse = await serve();

    const reply = await rowhouse.post("/library/add", { headers: json, json: {} });

    expect(reply.status).to.equal(403);
    expect(await rowhouse.rows("books")).to.have.length(1);
  });

  it("is read, and written to once it has the permission", async () => {
    const rowhouse = await serve();

    expect((await rowhouse.get("/library/books.json?_shape=array")).json).to.have.length(1);
    expect((await rowhouse.rowhouse.database("library").health()).state).to.equal("read-only");
    await chmod(rowhouse.file(), WRITABLE);
    const reply = await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { row: { title: "x" } },
    });

    expect(reply.status).to.equal(201);
    expect((await rowhouse.rowhouse.database("library").health()).state).to.equal("ready");
  });

  it("is refused after writes that came before, too", async () => {
    const rowhouse = await serve();
    await chmod(rowhouse.file(), WRITABLE);
    await rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { title: "x" } } });
    await chmod(rowhouse.file(), READ_ONLY);

    const reply = await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { row: { title: "y" } },
    });

    expect([reply.status, reply.json]).to.deep.equal([403, refusal]);
    expect(await rowhouse.rows("books")).to.have.length(2);
  });
});
