import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const REQUESTS = 6;
const READER = `do $$ begin
  if not exists (select from pg_roles where rolname = 'reader') then create role reader login; end if;
end $$`;

describePostgres("a PostgreSQL role with few sessions", (server) => {
  it("serves requests that need more, one after the other", async () => {
    const uri = await server().createDatabase(
      `create table notes (id int primary key);
       create view slow as select id, pg_sleep(0.01) is null as nothing from (select generate_series(1, 2) as id) as n;
       create role few login connection limit 2;
       grant all on all tables in schema public to few;`,
    );
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({
      uri: uri.replace("//rowhouse@", "//few@"),
      name: "shop",
      mutable: true,
    });

    // Sessions that have read are idle, and the first write needs one.
    await Promise.all([1, 2, 3].map((id) => rowhouse.get(`/shop/slow.json?id__gt=${id - 2}&_nosuggest=1`)));
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, (_, id) =>
        id % 3 === 0
          ? rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { id } } })
          : rowhouse.get(`/shop/slow.json?id__lt=${id}&_nosuggest=1`),
      ),
    );

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
  });

  it("refuses a statement that exceeds the temporary files of its role", async () => {
    const uri = await server().createDatabase(
      `create role thrifty login; alter role thrifty set temp_file_limit = '1MB'; alter role thrifty set work_mem = '64kB';`,
    );
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=thrifty`, name: "shop", mutable: true });
    const sql = "select g from generate_series(1, 200000) as g order by md5(g::text)";

    const { status, text } = await rowhouse.get(`/shop.json?sql=${encodeURIComponent(sql)}`);

    expect(status, text).to.equal(400);
    expect(text).to.contain("temporary file size exceeds temp_file_limit");
  });

  it("says which disk is full", async () => {
    const uri = await server().createDatabase(
      `create table notes (id int primary key);
       create function fail() returns trigger language plpgsql as $$ begin
         raise exception 'could not extend file' using errcode = 'disk_full';
       end $$;
       create trigger full_disk before insert on notes for each row execute function fail()`,
    );
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    const { status, json } = await rowhouse.post("/shop/notes/-/insert", {
      as: "root",
      json: { row: { id: 1 } },
    });

    expect([status, json.errors]).to.deep.equal([503, ["The disk of the database server is full."]]);
  });

  for (const path of ["/shop.json?", "/shop.csv?_stream=1&"])
    it(`answers at the time limit for a session: ${path}`, async () => {
      const uri = await server().createDatabase(READER);
      const rowhouse = await rowhouseFor({ settings: { num_sql_threads: 1, sql_time_limit_ms: 20_000 } });
      await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=reader`, name: "shop", mutable: true });
      const caller = new AbortController();
      const options = { trust: "untrusted", signal: caller.signal } as const;
      const slow = failure(rowhouse.rowhouse.database("shop").read("select pg_sleep(19)", [], options));
      const started = performance.now();
      const { status, text } = await rowhouse.get(`${path}sql=select+1`);
      const waitedMs = performance.now() - started;
      caller.abort();
      await slow;

      expect(status, text).to.equal(503);
      expect(text).to.contain("Too many queries are waiting for this database.");
      expect(waitedMs).to.be.below(9_000);
    });
});
