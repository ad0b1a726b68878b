import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect } from "chai";
import { Kernel } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { buildDemonstration, type Demonstration } from "../../demo/build.js";
import { openRaw } from "../harness/raw-sqlite.js";
import { pathsOf } from "./paths.js";
import { transferOf } from "./transfer.js";

const rowsOf = async (file: string, sql: string): Promise<Record<string, unknown>[]> => {
  const database = await openRaw(file);
  try {
    return await database.all(sql);
  } finally {
    await database.close();
  }
};

interface Document {
  readonly error: string | null;
  readonly rows: readonly unknown[];
}

const MOST_TRANSFERRED = 100_000;
// No page is lighter than the styles it needs.
const LEAST_TRANSFERRED = 6000;

describe("the demonstration", () => {
  let folder: string;
  let demonstration: Demonstration;
  let kernel: Kernel;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-demo-"));
    demonstration = await buildDemonstration(folder);
    const document: unknown = JSON.parse(await readFile(demonstration.metadata, "utf8"));
    kernel = await Kernel.open({
      plugins: bundledPlugins.map((plugin) => ({ plugin })),
      databases: demonstration.databases.map((file) => ({
        uri: `file:${file}`,
        name: basename(file, ".db"),
        mutable: true,
      })),
      settings: { sql_time_limit_ms: 60_000, facet_time_limit_ms: 60_000 },
      secrets: ["a secret for specs"],
      options: { metadata: { document, source: "metadata.json" } },
    });
  });

  after(async () => {
    await kernel.close();
    await rm(folder, { recursive: true, force: true });
  });

  const documentAt = async (path: string): Promise<Document> =>
    JSON.parse(String((await kernel.fetch(path)).body)) as Document;

  it("is sound: no foreign key points nowhere", async () => {
    for (const file of demonstration.databases) {
      expect(await rowsOf(file, "pragma integrity_check"), file).to.deep.equal([{ integrity_check: "ok" }]);
      expect(await rowsOf(file, "pragma foreign_key_check"), file).to.deep.equal([]);
    }
  });

  it("is not built again if it exists", async () => {
    const [file = ""] = demonstration.databases;
    const { ino } = await stat(file);
    await buildDemonstration(folder);

    expect((await stat(file)).ino).to.equal(ino);
  });

  it("answers each of its canned queries that need no argument", async () => {
    for (const [name] of kernel.databases) {
      const queries = await kernel.service("queries").cannedQueries(name, null);
      for (const [query, { sql, write }] of queries) {
        if (write || /:\w/.test(sql)) continue;
        const { error, rows } = await documentAt(`/${name}/${query}.json`);

        expect(error, `${name}/${query}`).to.equal(null);
        expect(rows, `${name}/${query}`).not.to.be.empty;
      }
    }
  });

  it("can be searched, and shows names in place of foreign keys", async () => {
    const found = await documentAt("/movies/movies.json?_search=love&_shape=objects&_labels=on");
    const labels = found.rows.map((row) => (row as { genre_id: { label?: unknown } | null }).genre_id?.label);

    expect(labels).to.include("Drama");
  });

  it("sends no page of more than 100 kB, styles and scripts included, to anonymous clients and to root", async () => {
    const cookie = `rowhouse_actor=${kernel.sign({ a: { id: "root" } }, "actor")}`;
    const paths = await pathsOf(kernel);
    const heavy: string[] = [];
    const known = new Map<string, Promise<number>>();
    for (const path of paths) {
      for (const headers of [{}, { cookie }]) {
        const bytes = await transferOf(kernel, path, headers, known);
        if (bytes < LEAST_TRANSFERRED || bytes > MOST_TRANSFERRED) heavy.push(`${path}: ${bytes} bytes`);
      }
    }

    expect(paths.length).to.be.greaterThan(100);
    expect(heavy).to.deep.equal([]);
  }).timeout(300_000);
});
