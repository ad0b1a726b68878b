import { expect } from "chai";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";

const tables = { pub: [{ id: 1, name: "The Bell" }], open: [{ id: 1, name: "x" }] };
const serve = (library: object, more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables, metadata: { databases: { library } }, ...more });

const statuses = async (rowhouse: TestRowhouse, paths: readonly string[]): Promise<readonly number[]> => {
  const replies = await Promise.all(paths.map((path) => rowhouse.get(path)));
  return replies.map(({ status }) => status);
};

describe("names of tables in the metadata match as SQLite matches them:", () => {
  it("`Pub` closes pub, on every path", async () => {
    const rowhouse = await serve({ tables: { Pub: { allow: false } } }, { settings: { confine_sql: true } });

    expect(
      await statuses(rowhouse, [
        "/library/pub.json",
        "/library/pub/1.json",
        "/library/pub.csv",
        "/library.json?sql=select+*+from+pub",
        "/library/open.json",
      ]),
    ).to.deep.equal([403, 403, 403, 403, 200]);
    const { json } = await rowhouse.get("/library.json");
    expect(json.tables.map(({ name }: { name: string }) => name)).to.deep.equal(["open"]);
  });

  it("a permissions block of `PUB` holds for pub", async () => {
    const rowhouse = await serve({ tables: { PUB: { permissions: { "insert-row": { id: "ann" } } } } });

    const insert = (as: string) =>
      rowhouse.post("/library/pub/-/insert", { as, json: { row: { id: 2, name: "Star" } } });

    expect((await insert("ann")).status).to.equal(201);
    expect((await insert("ben")).status).to.equal(403);
  });

  it("of two spellings, the one that refuses wins", async () => {
    for (const spellings of [
      { pub: { allow: true }, PUB: { allow: false } },
      { PUB: { allow: false }, pub: { title: "Pubs" } },
      { Pub: { allow: false }, PUB: { allow: true } },
    ]) {
      const rowhouse = await serve({ tables: spellings });

      expect((await rowhouse.get("/library/pub.json")).status, JSON.stringify(spellings)).to.equal(403);
    }
  });

  it("only letters of ASCII have two cases", async () => {
    const rowhouse = await rowhouseFor({
      tables: { é: [{ id: 1 }] },
      metadata: { databases: { library: { tables: { É: { allow: false } } } } },
    });

    expect((await rowhouse.get("/library/~C3~A9.json")).status).to.equal(200);
  });

  it("a table that is created later is closed from its first moment", async () => {
    const rowhouse = await serve({ tables: { Later: { allow: false } } });

    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("create table later as select 1 as id"));

    expect((await rowhouse.rows("later")).length).to.equal(1);
    expect((await rowhouse.get("/library/later.json")).status).to.equal(403);
  });

  it("settings that are no rule match too", async () => {
    const rowhouse = await serve({ tables: { Pub: { hidden: true, title: "Pubs of the town" } } });

    expect((await rowhouse.get("/library/pub")).text).to.include("Pubs of the town");
    expect((await rowhouse.get("/library.json")).json.hidden_count).to.equal(1);
  });

  it("the published metadata leaves out what is closed, however it is spelt", async () => {
    const rowhouse = await serve(
      { tables: { Pub: { title: "Pubs of the town" } } },
      {
        plugins: [
          {
            name: "shy",
            permission_allowed: (_rowhouse, { action, resource }) =>
              action === "view-table" && resource?.[1] === "pub" ? false : null,
          },
        ],
      },
    );

    expect((await rowhouse.get("/library/pub.json")).status).to.equal(403);
    expect((await rowhouse.get("/-/metadata.json")).text).not.to.include("Pubs of the town");
  });
});

describe("names of databases in the metadata match as SQLite matches them:", () => {
  it("`Library` closes library and what is in it", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      metadata: { databases: { Library: { allow: false, allow_sql: false } } },
    });

    expect(
      await statuses(rowhouse, ["/library.json", "/library/pub.json", "/library.json?sql=select+1"]),
    ).to.deep.equal([403, 403, 403]);
    expect((await rowhouse.get("/-/metadata.json")).text).not.to.include("allow_sql");
  });

  it("one that is added later is closed from its first moment", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      metadata: { databases: { Later: { tables: { Pub: { allow: false } } } } },
    });

    await rowhouse.rowhouse.addDatabase({ uri: `file:${rowhouse.file()}`, name: "later", mutable: false });

    expect(await statuses(rowhouse, ["/later/pub.json", "/later/open.json"])).to.deep.equal([403, 200]);
  });

  it("a block is of the database of its own spelling where both are served", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      databases: { LIBRARY: "create table pub (id integer primary key)" },
      metadata: { databases: { LIBRARY: { permissions: { "insert-row": true }, allow: false } } },
    });

    expect(await statuses(rowhouse, ["/library/pub.json", "/LIBRARY/pub.json"])).to.deep.equal([200, 403]);
    expect(await rowhouse.rowhouse.permissions.allowed(null, "insert-row", ["library", "pub"])).to.equal(
      false,
    );
  });

  it("what is attached to another database is closed there too", async () => {
    const rowhouse = await serve(
      { tables: { Pub: { allow: false } } },
      { settings: { confine_sql: true }, options: { crossdb: true } },
    );
    await rowhouse.rowhouse.addDatabase({
      uri: "memory:",
      name: "_memory",
      mutable: true,
      attach: [{ name: "library", path: rowhouse.file() }],
    });

    expect(
      await statuses(rowhouse, [
        "/_memory.json?sql=select+*+from+library.pub",
        "/_memory.json?sql=select+*+from+library.open",
      ]),
    ).to.deep.equal([403, 200]);
  });
});
