import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const BOOKS = `
  create table books (id int primary key, title text, day date);
  insert into books values (1, 'Emma', '1815-12-23'), (2, 'Orlando', '1928-10-11');
  create function chance() returns float8 language sql volatile as 'select random()';
  create view old as select id, upper(title) as title from books where day < '1900-01-01';
  do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
  grant usage on schema public to guest; grant select on all tables in schema public to guest;`;

const CERTAIN = [
  "select count(*), max(title) from books where lower(title) like 'e%'",
  "select id, cast(day as text), title::varchar(10) from books where id in (1, 2) order by id",
  "with years as (select extract(year from day) as year from books) select * from years",
  "select * from old",
];
const VARYING = [
  "select now()",
  "select current_date",
  "select day < 'today' from books",
  String.raw`select day < E't\x6fday' from books`,
  "select chance()",
  'select "chance"() from books',
  "select localtime, id from books",
  "select current_user, id from books",
  "select relpages from pg_class",
  "select count(*) from information_schema.tables",
  "select id from books tablesample bernoulli (50)",
  "select id from books where day < cast(:until as date)&until=tomorrow",
];

const pathOf = (sql: string): string => {
  const [statement = "", params] = sql.split("&");
  return `/shop.json?sql=${encodeURIComponent(statement)}${params === undefined ? "" : `&${params}`}`;
};

describePostgres("Cached pages of PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(BOOKS);
    const queries = { region: "select cast(:_header_x_region as text) as region" };
    rowhouse = await rowhouseFor({ metadata: { databases: { shop: { queries } } } });
    await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
  });

  const tagOf = async (path: string): Promise<unknown> => {
    const { status, headers, text } = await rowhouse.get(path);
    expect(status, text).to.equal(200);
    return headers["etag"];
  };

  it("are no results of a query with a magic parameter, which another client sends", async () => {
    for (const region of ["north", "south"]) {
      const { json } = await rowhouse.get("/shop/region.json?_shape=arrayfirst", {
        headers: { "x-region": region },
      });
      expect(json).to.deep.equal([region]);
    }
  });

  for (const sql of CERTAIN) {
    it(`have an entity tag for ${sql}`, async () => {
      expect(await tagOf(pathOf(sql))).to.be.a("string");
    });
  }

  for (const sql of VARYING) {
    it(`have none for ${sql}`, async () => {
      expect(await tagOf(pathOf(sql))).to.equal(undefined);
    });
  }

  it("have one for a view that calls certain functions", async () => {
    expect(await tagOf("/shop/old.json")).to.be.a("string");
  });
});

describePostgres("Pages of a table on another PostgreSQL server", (server) => {
  it("follow the other server, with their counts", async () => {
    const { port } = server();
    const other = await server().createDatabase(
      "create table books (id int primary key); insert into books values (1)",
    );
    const dbname = new URL(other).pathname.slice(1);
    const uri = await server().createDatabase(`
      create extension postgres_fdw;
      create server other foreign data wrapper postgres_fdw options (host '127.0.0.1', port '${port}', dbname '${dbname}');
      create user mapping for current_user server other options (user 'rowhouse');
      create foreign table remote (id int) server other options (table_name 'books');`);
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const page = "/shop/remote.json?_shape=arrays";

    const early = await rowhouse.get(page);
    await server().run("insert into books values (2)", dbname);
    const late = await rowhouse.get(page);

    expect(early.status, early.text).to.equal(200);
    expect(early.headers).not.to.have.property("etag");
    expect([early, late].map(({ json }) => json.rows)).to.deep.equal([[[1]], [[1], [2]]]);
  });

  it("are counted again in the list of databases, as rows of a file are", async () => {
    const path = join(server().folder, "lines.csv");
    await writeFile(path, "1\n2\n");
    const uri = await server().createDatabase(`
      create extension file_fdw;
      create server files foreign data wrapper file_fdw;
      create foreign table lines (id int) server files options (filename '${path}');`);
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const counted = async (): Promise<unknown> => (await rowhouse.get("/.json")).json["shop"].table_rows_sum;
    expect([await counted(), await counted()]).to.deep.equal([2, 2]);
    await writeFile(path, "1\n2\n3\n");
    await sleep(1_500);

    expect(await counted()).to.equal(3);
  });
});
