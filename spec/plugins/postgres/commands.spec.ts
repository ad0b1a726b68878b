import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { failure } from "../../harness/failures.js";
import { describePostgres } from "../../harness/postgres.js";
import { printedBy } from "../../harness/run-command.js";

/** The options of `rowhouse insert` that have defaults on the command line. */
const INSERT_OPTIONS = { pk: ["id"], encoding: "utf-8", "no-header": false };

describePostgres("commands that take the address of a database", (server) => {
  const place = workplace();
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

  it("inspect counts the rows of tables on a server, and lists missing indexes", async () => {
    await server().run(
      "create table a (id int primary key); insert into a values (1), (2); create table b (a int references a)",
      uri.split("/").at(-1),
    );
    const name = uri.split("/").at(-1) ?? "";
    const counted = await place.run(["inspect", uri]);
    const advised = await place.run(["inspect", uri, "--advise"]);

    expect(JSON.parse(counted.stdout))
      .to.have.nested.property(`${name}.tables`)
      .that.deep.equals({
        a: { count: 2 },
        b: { count: 0 },
      });
    expect(advised.stdout).to.include('create index "b_a" on "b"("a");');
  });

  it("-i says that only files can be immutable", async () => {
    const { stderr, code } = await place.run(["-i", uri]);

    expect(code).to.equal(2);
    expect(stderr).to.match(
      /Error: Invalid value for '-i' \/ '--immutable': Only files can be immutable: name the address of a database/,
    );
  });

  it("backup and doctor say that they need a file", async () => {
    const backup = await failure(printedBy("backup", { database: uri, target: folder, keep: 0, rate: 0 }));
    const doctor = await failure(printedBy("doctor", { files: [uri.replace("@", ":hush@")] }));

    expect(backup.message).to.equal(
      "Only SQLite files can be backed up. For other databases, use the programs of their server",
    );
    expect(doctor.message).to.equal("Only SQLite files can be checked, not addresses of databases");
  });
});
