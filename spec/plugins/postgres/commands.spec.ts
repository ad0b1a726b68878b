import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { describePostgres } from "../../harness/postgres.js";
import { printedBy } from "../../harness/run-command.js";

/** The options of `rowhouse insert` that have defaults on the command line. */
const INSERT_OPTIONS = { pk: ["id"], encoding: "utf-8", "no-header": false };

describePostgres("commands that take the address of a database", (server) => {
  let folder: string;
  let uri: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-commands-"));
    uri = await server().createDatabase();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("insert creates a table, and upserts rows, on a server", async () => {
    const file = join(folder, "books.csv");
    const insert = (options: object = {}): Promise<string> =>
      printedBy("insert", { database: uri, table: "books", file, ...INSERT_OPTIONS, ...options });
    await writeFile(file, "id,title,price\n1,Emma,12.5\n9007199254740993,Ulysses,7\n");
    const created = await insert();
    await writeFile(file, "id,title\n1,Persuasion\n");
    const updated = await insert({ upsert: true });

    expect([created, updated]).to.deep.equal(["2 rows inserted into books\n", "1 row upserted into books\n"]);
    const database = uri.split("/").at(-1);
    expect(
      await server().run("select id::text, title, price from books order by id", database),
    ).to.deep.equal([
      { id: "1", title: "Persuasion", price: 12.5 },
      { id: "9007199254740993", title: "Ulysses", price: 7 },
    ]);
  });

  it("backup and doctor say that they need a file", async () => {
    const backup = await failure(printedBy("backup", { database: uri, target: folder, keep: 0, rate: 0 }));
    const doctor = await failure(printedBy("doctor", { files: [uri.replace("@", ":hush@")] }));

    expect(backup.message).to.equal("The engine of database can't be backed up");
    expect(doctor.message).to.equal("Only SQLite files can be checked, not addresses of databases");
  });
});
