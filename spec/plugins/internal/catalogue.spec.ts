import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import { failure } from "../../harness/failures.js";
import { buildDatabase, openRaw } from "../../harness/raw-sqlite.js";

const SQL = "select table_name, name from columns where database_name = 'library' order by 1, cid";
const path = `/_internal.json?_shape=array&sql=${encodeURIComponent(SQL)}`;

describe("The database _internal", () => {
  it("shows root every schema as it is now", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: "id integer primary key, title text" } });

    const before = await rowhouse.get(path, { as: "root" });
    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("create table pages (number integer)"));
    const after = await rowhouse.get(path, { as: "root" });

    const books = [
      { table_name: "books", name: "id" },
      { table_name: "books", name: "title" },
    ];
    expect(before.json).to.deep.equal(books);
    expect(after.json).to.deep.equal([...books, { table_name: "pages", name: "number" }]);
  });

  it("is stored in the file of --internal, and made again at each start", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-internal-"));
    const internal = join(folder, "internal.db");
    const tables = { books: "id integer primary key, title text" };

    for (const start of ["first", "second"]) {
      const rowhouse = await rowhouseFor({ tables, options: { internal } });
      const reply = await rowhouse.get(path, { as: "root" });
      await rowhouse.close();

      expect(reply.json, start).to.have.length(2);
    }
    const { size, mode } = await stat(internal);
    expect(size).to.be.greaterThan(0);
    expect((mode & 0o777).toString(8)).to.equal("600");
    await rm(folder, { recursive: true });
  });

  it("replaces no table of a file that was made for something else", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-internal-"));
    const file = join(folder, "restaurant.db");
    await buildDatabase(
      file,
      "create table Tables (id integer primary key, seats); insert into Tables values (1, 4);",
    );

    const { message } = await failure(rowhouseFor({ options: { internal: file } }));

    expect(message).to.equal(
      `Could not write to the internal database ${file}: it has a table tables of your own. Choose another file for --internal`,
    );
    const after = await openRaw(file);
    expect(await after.all("select * from tables")).to.deep.equal([{ id: 1, seats: 4 }]);
    await after.close();
    await rm(folder, { recursive: true });
  });

  it("is closed to all other actors, and is in no list", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    expect((await rowhouse.get(path)).status).to.equal(403);
    expect((await rowhouse.get("/_internal/tables.json", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/-/databases.json", { as: "root" })).text).to.not.include("_internal");
  });
});
