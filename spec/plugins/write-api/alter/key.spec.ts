import { expect } from "chai";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../../harness/index.js";

const BOOKS = "id integer primary key, title text not null, price real, tag";

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books: BOOKS }, ...contents });

describe('the key "alter" of writes', () => {
  it("adds the columns that rows bring, and needs alter-table", async () => {
    const rowhouse = await library({
      metadata: {
        databases: { library: { permissions: { "insert-row": { id: "ann" }, "update-row": { id: "ann" } } } },
      },
    });
    const json = { rows: [{ id: 1, title: "a", year: 1815 }], alter: true };

    const refused = await rowhouse.post("/library/books/-/insert", { as: "ann", json });
    expect([refused.status, refused.json.errors]).to.deep.equal([403, ["Permission denied for alter-table"]]);
    const inserted = await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { ...json, return: true },
    });
    expect(inserted.json.rows).to.deep.equal([{ id: 1, title: "a", price: null, tag: null, year: 1815 }]);
    const upserted = await rowhouse.post("/library/books/-/upsert", {
      as: "root",
      json: { row: { id: 1, title: "a", score: 2.5 }, alter: true },
    });
    expect(upserted.json.rows).to.deep.equal([
      { id: 1, title: "a", price: null, tag: null, year: 1815, score: 2.5 },
    ]);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal([
      "alter-table",
      "insert-rows",
      "alter-table",
      "upsert-rows",
    ]);
  });

  it("adds nothing where a row fails", async () => {
    const rowhouse = await library();

    const json = { rows: [{ title: "a", year: 1 }, { year: 2 }], alter: true };
    const reply = await rowhouse.post("/library/books/-/insert", { as: "root", json });

    expect(reply.status).to.equal(400);
    expect(await rowhouse.query("select count(*) as n from pragma_table_info('books')")).to.deep.equal([
      { n: 4 },
    ]);
  });

  it("adds the columns that an update names", async () => {
    const rowhouse = await library({ sql: "insert into books (title) values ('a')" });
    const update = { update: { TITLE: "b", year: 1815 }, return: true };
    const post = (as: string, json: object) => rowhouse.post("/library/books/1/-/update", { as, json });

    expect((await post("root", update)).json.errors).to.deep.equal(["no such column: year"]);
    const reply = await post("root", { ...update, alter: true });

    expect(reply.json.row).to.deep.equal({ id: 1, title: "b", price: null, tag: null, year: 1815 });
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["alter-table", "update-row"]);
  });

  it("adds nothing where the version of the row is another one", async () => {
    const rowhouse = await library({ sql: "insert into books (title) values ('a')" });

    const reply = await rowhouse.post("/library/books/1/-/update", {
      as: "root",
      json: { update: { year: 1 }, alter: true },
      headers: { "if-match": '"another"' },
    });

    expect(reply.status).to.equal(412);
    expect(await rowhouse.query("select count(*) as n from pragma_table_info('books')")).to.deep.equal([
      { n: 4 },
    ]);
  });

  it("adds the columns of example rows to a table that is there", async () => {
    const rowhouse = await library({
      metadata: {
        databases: {
          library: { permissions: { "create-table": { id: "ann" }, "insert-row": { id: "ann" } } },
        },
      },
    });
    const json = { table: "books", rows: [{ title: "a", "ye[ar]": 1.5 }], alter: true };

    const refused = await rowhouse.post("/library/-/create", { as: "ann", json });
    expect([refused.status, refused.json.errors]).to.deep.equal([
      403,
      ["Permission denied: need alter-table"],
    ]);
    const reply = await rowhouse.post("/library/-/create", { as: "root", json });
    expect(reply.status).to.equal(201);
    expect(reply.json.schema).to.match(/, \[ye_ar_\] FLOAT\)$/);
    expect(await rowhouse.query("select title, ye_ar_ from books")).to.deep.equal([
      { title: "a", ye_ar_: 1.5 },
    ]);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["alter-table", "insert-rows"]);
  });
});
