import { expect } from "chai";
import { cacheUse, reportedCache, type CacheUse } from "rowhouse/plugin-api/kernel";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const KILOBYTES = 64;
const settings = {
  reply_cache_kb: KILOBYTES,
  result_cache_kb: KILOBYTES,
  statement_cache_kb: KILOBYTES,
};
const metadata = { databases: { library: { queries: { titles: "select title from books" } } } };
const books = Array.from({ length: 50 }, (_, id) => ({ id, title: `Title ${id}`, year: id % 7 }));

const used = (name: string): CacheUse | undefined => cacheUse().find((one) => one.name === name);

describe("the caches", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books }, settings, metadata });
    for (let number = 0; number < 60; number += 1) {
      await rowhouse.get(`/library/books.json?_facet=year&title=${number}&_sort=year&id__gt=${number}`);
      await rowhouse.get(`/library.json?sql=select+${number}+as+n${number},+title+from+books`);
    }
    await rowhouse.get("/library/titles.json");
    await rowhouse.get("/library/books");
    await rowhouse.get("/library");
    await rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { id: 100, title: "New" } } });
  });

  for (const name of [
    "replies",
    "results",
    "sql-tokens",
    "sql-texts",
    "sql-columns",
    "sql-compiled",
    "sql-durations",
    "paths",
    "insert-texts",
    "table-counts",
    "template-paths",
  ]) {
    it(`${name} holds entries, and no more bytes than its limit`, () => {
      const { entries = 0, bytes = 0, maxBytes = 0 } = used(name) ?? {};

      expect(entries).to.be.above(0);
      expect(bytes).to.be.within(entries, maxBytes);
    });
  }

  it("have the limits of the settings", () => {
    expect(used("results")?.maxBytes).to.equal(KILOBYTES * 1024);
    expect(used("sql-tokens")?.maxBytes).to.equal((KILOBYTES * 1024) / 2);
  });

  it("are all in the metrics", async () => {
    const { text } = await rowhouse.get("/-/metrics", { as: "root" });

    for (const { name } of cacheUse()) {
      for (const metric of ["entries", "bytes", "max_bytes"]) {
        expect(text).to.match(new RegExp(`^rowhouse_cache_${metric}{cache="${name}"} \\d+$`, "m"));
      }
    }
  });

  it("drop the results of old data, and answer with new ones", async () => {
    const count = async (): Promise<unknown> =>
      (await rowhouse.get("/library/books.json?_extra=count")).json["count"];
    const before = Number(await count());

    await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { row: { id: 200, title: "Newer" } },
    });

    expect(await count()).to.equal(before + 1);
    expect(used("results")?.entries).to.be.below(5);
  });

  it("of one name are added up", () => {
    const caches = [1, 2].map((size) =>
      reportedCache("of-this-spec", { size, calculatedSize: size * 10, maxSize: 50 }),
    );

    expect(used("of-this-spec")).to.deep.equal({
      name: "of-this-spec",
      entries: 3,
      bytes: 30,
      maxBytes: 100,
    });
    expect(caches).to.have.length(2);
  });
});
