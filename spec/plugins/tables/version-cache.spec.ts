import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Request } from "rowhouse/plugin-api";
import { openRaw } from "../../harness/raw-sqlite.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const manyRows = (count: number): string =>
  `create table numbers (id integer primary key, kind text);
   with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
   insert into numbers select i, 'kind ' || (i % 3) from n;`;

const PAGE = "/library/numbers.json?_size=1&_facet=kind";

/** SQL that the instance ran while `act` ran. */
async function statementsDuring(
  { rowhouse }: TestRowhouse,
  act: () => Promise<unknown>,
): Promise<readonly string[]> {
  const database = rowhouse.database("library");
  const { read } = database;
  const seen: string[] = [];
  database.read = (sql, ...more) => {
    seen.push(sql);
    return read.call(database, sql, ...more);
  };
  await act();
  database.read = read;
  return seen;
}

describe("counts, facets and suggestions of a table", () => {
  it("are cached for a stored table, although others of the database may change by themselves", async () => {
    const sql = `${manyRows(9)} create view today as select date('now') as day;
      create virtual table places using rtree(id, west, east);`;
    const rowhouse = await rowhouseFor({ sql });
    await rowhouse.get(PAGE);
    // Another page than the cached one, with the same count and facets.
    await sleep(1_500);

    const statements = await statementsDuring(rowhouse, () =>
      rowhouse.get(PAGE.replace("_size=1", "_size=2")),
    );

    expect(statements.filter((one) => one.includes("count(*)"))).to.deep.equal([]);
  });

  it("are read once while the data is the same", async () => {
    const rowhouse = await rowhouseFor({ sql: manyRows(100) });

    const first = await statementsDuring(rowhouse, () => rowhouse.get(PAGE));
    const second = await statementsDuring(rowhouse, () => rowhouse.get(PAGE));

    expect(first.join("\n")).to.match(/count\(\*\)/);
    expect(second).to.deep.equal([]);
  });

  it("are read again when another program changed the data", async () => {
    const rowhouse = await rowhouseFor({ sql: manyRows(100) });
    await rowhouse.get(PAGE);
    const other = await openRaw(rowhouse.file());
    await other.all("delete from numbers where kind = 'kind 0'");
    await other.close();

    const { json } = await rowhouse.get(PAGE);

    expect(json.filtered_table_rows_count).to.equal(67);
    expect(json.facet_results.kind.results).to.have.length(2);
  });

  it("are read again when this server changed the data", async () => {
    const rowhouse = await rowhouseFor({ sql: manyRows(100) });
    await rowhouse.get(PAGE);
    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("delete from numbers"));

    expect((await rowhouse.get(PAGE)).json.filtered_table_rows_count).to.equal(0);
  });
});

describe("a table that can't be counted in time", () => {
  const VIEWED = {
    views: {
      slow: "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n limit 100000000",
    },
  };

  it("costs the time limit once, not with every page", async () => {
    const rowhouse = await rowhouseFor({ ...VIEWED, settings: { sql_time_limit_ms: 200 } });
    const page = "/library/slow.json?_size=1&_nosuggest=1";
    await rowhouse.get(page);

    const counted = await statementsDuring(rowhouse, async () => {
      expect((await rowhouse.get(page)).json.filtered_table_rows_count).to.equal(null);
    });

    expect(counted).to.deep.equal([]);
  });

  it("is not counted again for a listing, unless there is more time for it", async () => {
    const rowhouse = await rowhouseFor(VIEWED);
    const database = rowhouse.rowhouse.database("library");
    const table = (await database.schema()).tables.get("slow");
    if (table === undefined) throw new Error("The view is missing");
    const tables = rowhouse.rowhouse.service("tables");
    const count = async (limitMs: number) => {
      const readable = await rowhouse.rowhouse.service("rowAccess").readable(null, database, table);
      return tables.count(database, readable, limitMs);
    };

    const runs: number[] = [];
    // Another try may be made when a hundred times the limit is over: ten seconds later.
    for (const limitMs of [100, 100, 50, 200]) {
      const statements = await statementsDuring(rowhouse, async () => {
        expect(await count(limitMs)).to.equal(null);
      });
      runs.push(statements.length);
    }

    expect(runs).to.deep.equal([1, 0, 0, 1]);
  });
});

const visitor = (signal: AbortSignal): Request => ({ signal, query: new URLSearchParams() }) as Request;

describe("a result that is computed for a client that disconnects", () => {
  it("is computed again for other clients that wait for it", async () => {
    const rowhouse = await rowhouseFor({ sql: manyRows(1) });
    const { cached } = rowhouse.rowhouse.service("tables");
    const database = rowhouse.rowhouse.database("library");
    const table = (await database.schema()).tables.get("numbers");
    if (table === undefined) return expect.fail("there is no table");
    const source = { database, table };
    const gone = new AbortController();
    const whenAborted = new Promise<null>((resolve) =>
      gone.signal.addEventListener("abort", () => resolve(null)),
    );

    const ended = cached(visitor(gone.signal), source, "key", () => whenAborted);
    const stays = cached(visitor(new AbortController().signal), source, "key", async () => "found");
    setTimeout(() => gone.abort(), 20);

    expect([await ended, await stays]).to.deep.equal([null, "found"]);
  });
});
