import { rename, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { failure } from "../../../harness/failures.js";
import { buildDatabase } from "../../../harness/raw-sqlite.js";
import { freshPath, openSqlite, sqliteFile } from "../open-sqlite.js";

const SCRIPT = "create table t (a); insert into t values ('first')";
// The file is looked at no more often than every 200 ms.
const until = (): Promise<void> => sleep(250);

describe("a file that is attached to a database in memory", () => {
  for (const trust of ["trusted", "untrusted"] as const) {
    it(`is read again when it is replaced, and not while it is missing (${trust})`, async () => {
      const { path } = await sqliteFile(SCRIPT);
      const next = await freshPath();
      await buildDatabase(next, "create table t (a, b); insert into t values ('second', 2)");
      const memory = await openSqlite("memory:", { attach: [{ name: "books", path }], mutable: false });
      const rows = async (): Promise<unknown> =>
        (await memory.read("select * from books.t", [], { trust })).rows;

      const first = await rows();
      const { data } = await memory.version();
      await rm(path);
      await until();
      const missing = await failure(rows());
      await rename(next, path);
      await until();

      expect([first, await rows()]).to.deep.equal([[["first"]], [["second", 2]]]);
      expect(missing.message).to.equal("The file of an attached database is missing.");
      expect((await memory.version()).data).not.to.equal(data);
    });
  }

  it("is named if SQLite cannot attach it", async () => {
    const { path } = await sqliteFile(`pragma encoding = 'UTF-16le'; ${SCRIPT}`);

    const error = await failure(openSqlite("memory:", { attach: [{ name: "books", path }], mutable: false }));

    expect(error.name).to.equal("StartupError");
    expect(error.message).to.match(
      /^Could not attach books to library: attached databases must use the same/,
    );
  });
});
