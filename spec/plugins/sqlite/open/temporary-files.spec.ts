import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { temporaryStore } from "../../../../plugins/sqlite/open/temporary-files.js";
import { sqliteFile } from "../open-sqlite.js";

const LARGE = `
  create table large (id integer primary key, text text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
  insert into large select i, hex(randomblob(30)) from n;`;
const SORTED = "select count(*) from (select text from large order by text limit -1 offset 1)";

/** The open files of this process and of those that it has started, without those that are closed meanwhile. */
function openFiles(pid: number): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").map(Number);
  const own = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return [];
    }
  });
  return [...own, ...children.filter((child) => child > 0).flatMap(openFiles)];
}

/** Temporary files of SQLite that are open while a statement sorts 18 MB. */
async function filesDuringSort(database: Database, trust: "trusted" | "untrusted") {
  const seen = new Set<string>();
  const look = (): void =>
    openFiles(process.pid)
      .filter((path) => path.includes("etilqs_"))
      .forEach((path) => seen.add(path));
  const timer = setInterval(look, 1);
  const { rows } = await database.read(SORTED, {}, { trust });
  clearInterval(timer);
  expect(rows).to.deep.equal([[299_999]]);
  return [...seen];
}

describe("What SQLite sorts and groups", () => {
  before(function () {
    if (process.platform === "linux") return;
    process.stderr.write("No /proc here: the specs of temporary files are skipped.\n");
    this.skip();
  });

  it("is in temporary files without a name, so that it takes little memory", async () => {
    const { database } = await sqliteFile(LARGE);

    const files = await filesDuringSort(database, "trusted");

    expect(files).not.to.deep.equal([]);
    // SQLite removes the name right after it has created the file, so a file may be seen in between.
    const removed = files.filter((file) => file.endsWith(" (deleted)"));
    for (const file of files) expect(removed).to.include(`${file.replace(" (deleted)", "")} (deleted)`);
  });

  it("is in the memory of its process for SQL of a client, which must not fill the disk", async () => {
    const { database } = await sqliteFile(LARGE);

    expect(await filesDuringSort(database, "untrusted")).to.deep.equal([]);
  });
});

describe("The store of temporary files", () => {
  it("is files if one of the folders can be written to, otherwise memory", async () => {
    expect(await temporaryStore(["/nowhere", tmpdir()])).to.equal("file");
    expect(await temporaryStore(["/nowhere", "/nowhere/else"])).to.equal("memory");
  });
});
