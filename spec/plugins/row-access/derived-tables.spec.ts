import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { rowhouseFor } from "../../harness/index.js";

/** Actors other than root see the rows of `docs` that they own. */
const ownDocs = definePlugin({
  name: "own-docs",
  read_scope: (_rowhouse, { actor, tables }) =>
    actor?.id === "root"
      ? null
      : tables
          .filter(({ name }) => name === "docs")
          .map(({ name }) => ({ table: name, where: "owner = :me", params: { me: String(actor?.id) } })),
});

const DOCS = `
  create table docs (id integer primary key autoincrement, owner text, word text);
  insert into docs (owner, word) values ('ann', 'plain'), ('bob', 'classified');`;

describe("tables that are derived from others", () => {
  it("are shown again after the database was unavailable while a view was examined", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${DOCS} create view words as select word from docs;`,
      plugins: [ownDocs],
    });
    const database = rowhouse.rowhouse.database("library");
    const { analyse } = database;
    Object.assign(database, { analyse: () => Promise.reject(new DatabaseUnavailable("The server starts")) });
    expect((await rowhouse.get("/library/words.json", { as: "ann" })).status).to.equal(503);

    Object.assign(database, { analyse });
    expect((await rowhouse.get("/library/words.json", { as: "ann" })).status).to.equal(200);
  });

  it("may be views of SQLite's own tables", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${DOCS}
        create table notes (id integer primary key autoincrement);
        insert into notes default values;
        create view sequences as select * from sqlite_sequence;`,
      plugins: [ownDocs],
    });

    const rows = async (table: string, as: string): Promise<unknown> =>
      (await rowhouse.get(`/library/${table}.json?_shape=arrays`, { as })).json.rows;

    expect(await rows("sequences", "root")).to.deep.equal([
      ["docs", 2],
      ["notes", 1],
    ]);
    expect(await rows("sqlite_sequence", "ann")).to.deep.equal([[2, "notes", 1]]);
    expect(await rows("sequences", "ann")).to.deep.equal([]);
  });

  it("may be views of tables that no longer exist", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${DOCS} create table gone (id); create view broken as select * from gone; drop table gone;`,
      plugins: [ownDocs],
    });

    expect((await rowhouse.get("/library.json", { as: "ann" })).status).to.equal(200);
    expect((await rowhouse.get("/library/sqlite_sequence.json", { as: "ann" })).status).to.equal(200);
    expect((await rowhouse.get("/library/broken.json", { as: "ann" })).status).to.equal(400);
  });

  it("may name each other, and themselves, as their content", async () => {
    const sql = `${DOCS}
      create virtual table one using fts5(word, content='two');
      create virtual table two using fts5(word, content='one');
      create virtual table self using fts5(word, content='self');`;
    for (const plugins of [[], [ownDocs]]) {
      const rowhouse = await rowhouseFor({ sql, plugins });

      for (const table of ["one_data", "self_data", "self_config"])
        expect((await rowhouse.get(`/library/${table}.json`, { as: "ann" })).status, table).to.equal(200);
    }
  });

  it("have the permission of their source, in whatever case they name it", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${DOCS}
        create virtual table docs_fts using fts5(word, content='DOCS', content_rowid='id');
        insert into docs_fts (docs_fts) values ('rebuild');
        create virtual table words using fts5vocab('Docs_FTS', 'row');`,
      metadata: { databases: { library: { tables: { docs: { allow: { id: "root" } } } } } },
    });

    for (const table of ["docs_fts", "words"]) {
      expect((await rowhouse.get(`/library/${table}.json`, { as: "root" })).status, table).to.equal(200);
      expect((await rowhouse.get(`/library/${table}.json`)).status, table).to.equal(403);
    }
  });
});
