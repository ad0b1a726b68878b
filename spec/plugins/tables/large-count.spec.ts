import { truncate } from "node:fs/promises";
import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const ROWS = 3_000_000;
const PAGE = "/library/slow.json?_size=1&_nosuggest=1";

/** A view whose rows take about a second to count. */
const slowView = (): Promise<TestRowhouse> =>
  rowhouseFor({
    views: {
      slow: `with recursive n(i) as (select 1 union all select i + 1 from n) select i from n limit ${ROWS}`,
    },
    settings: { sql_time_limit_ms: 60_000 },
  });

/** SQLite ignores bytes after the pages that its header counts. They take no space on the disk. */
const makeLarge = (rowhouse: TestRowhouse): Promise<void> => truncate(rowhouse.file(), 150_000_000);

async function countedPage(rowhouse: TestRowhouse): Promise<TestReply> {
  const reply = await rowhouse.get(PAGE);
  return reply.json.filtered_table_rows_count === null ? countedPage(rowhouse) : reply;
}

describe("The count of a large file", () => {
  it("does not delay the first page, which says so, and is on a later one", async () => {
    const rowhouse = await slowView();
    await makeLarge(rowhouse);

    const first = await rowhouse.get(PAGE);
    const later = await countedPage(rowhouse);

    expect(first.json.rows).to.deep.equal([[1]]);
    expect(first.json.filtered_table_rows_count).to.equal(null);
    expect(first.json.filtered_table_rows_count_pending).to.equal(true);
    expect(first.headers["cache-control"]).to.equal("no-store");
    expect(later.json.filtered_table_rows_count).to.equal(ROWS);
    expect(later.json).not.to.have.any.keys("filtered_table_rows_count_pending");
    expect(later.headers["cache-control"]).to.equal("max-age=5");
  });

  it("is counted once for all pages that ask meanwhile", async () => {
    const rowhouse = await slowView();
    await makeLarge(rowhouse);
    const database = rowhouse.rowhouse.database("library");
    const { read } = database;
    let counts = 0;
    database.read = (sql, ...more) => {
      if (sql.startsWith("select count(*)")) counts += 1;
      return read.call(database, sql, ...more);
    };

    await countedPage(rowhouse);

    expect(counts).to.equal(1);
  });

  it("is said to be unknown in HTML until it is known", async () => {
    const rowhouse = await slowView();
    await makeLarge(rowhouse);

    const first = await rowhouse.get("/library/slow?_size=1&_nosuggest=1");
    await countedPage(rowhouse);
    const later = await rowhouse.get("/library/slow?_size=1&_nosuggest=1");

    expect(first.text).to.include("1 to 1, counting …");
    expect(later.text).to.include("1 to 1 of 3,000,000");
  });
});

describe("The count of a small file", () => {
  it("is waited for, however long it takes", async () => {
    const rowhouse = await slowView();

    expect((await rowhouse.get(PAGE)).json.filtered_table_rows_count).to.equal(ROWS);
  });
});
