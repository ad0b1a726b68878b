import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create table members (id int primary key, name text);
  insert into members values (1, 'hushed'), (2, 'hushed');
  create table sales (id int, region text) partition by list (region);
  create table sales_north partition of sales for values in ('hushed');
  insert into sales values (1, 'hushed');
  create table notes (id int primary key, body text);
  insert into notes values (1, 'open');
  create function names() returns setof text language sql as $$ select name from members $$;
  create function all_names() returns text language plpgsql as $$
    begin return (select string_agg(name, ',') from members); end $$;
  create function is_in(text, text) returns boolean language sql stable as $$
    select exists(select from members where name = $1 and name <> $2) $$;
  create operator === (function = is_in, leftarg = text, rightarg = text);
  create function loud(text) returns text language sql immutable as $$ select upper($1) $$;
  create schema inner_views;
  create view inner_views.members as select * from public.members;

  create view of_function as select * from names() as name;
  create view of_value as select id, all_names() from notes;
  create view of_operator as select id, 'hushed'::text === 'x'::text as is_hushed from notes;
  create view of_partition as select * from sales_north;
  create view of_schema as select * from inner_views.members;
  create view of_text as select query_to_xml('select * from members', true, false, '')::text as document;
  create view of_catalogue as select relname, 'hushed' from pg_class;
  create view of_statistics as select tablename, 'hushed' from pg_stats;
  create view of_information as select table_name, 'hushed' from information_schema.tables;
  create view through as select * from of_function;
  create materialized view kept as select * from names() as name;
  create view harmless as select id, loud(body), now(), count(*) over () from notes;
  analyze`;

const VIEWS =
  "of_function of_value of_operator of_partition of_schema of_text of_catalogue of_statistics of_information through kept";

describePostgres(
  "a view of a PostgreSQL database that reads more than the tables that it names",
  (server) => {
    const serve = async (contents: Contents): Promise<TestRowhouse> => {
      const rowhouse = await rowhouseFor(contents);
      const uri = await server().createDatabase(SCRIPT);
      await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
      return rowhouse;
    };

    it("is closed to actors who may not view all tables", async () => {
      const closed = { allow: { id: "root" } };
      const rowhouse = await serve({
        settings: { confine_sql: true },
        metadata: { databases: { shop: { tables: { members: closed, sales: closed } } } },
      });

      for (const view of VIEWS.split(" ")) {
        expect((await rowhouse.get(`/shop/${view}.json`)).status, view).to.equal(403);
        expect((await rowhouse.get(`/shop/${view}.json`, { as: "root" })).status, view).to.equal(200);
      }
      expect((await rowhouse.get("/shop/harmless.json")).json.rows).to.have.length(1);
    });

    it("has no rows for actors from whom rows are hidden", async () => {
      const rowhouse = await serve({
        plugins: [
          definePlugin({
            name: "own-rows",
            read_scope: (_rowhouse, { actor }) =>
              actor?.id === "root"
                ? []
                : ["members", "sales"].map((table) => ({
                    table,
                    where: "id < :least",
                    params: { least: 0 },
                  })),
          }),
        ],
      });

      for (const view of VIEWS.split(" ")) {
        const { status, text } = await rowhouse.get(`/shop/${view}.json?_shape=array`);
        expect([view, status, text]).to.deep.equal([view, 200, "[]"]);
        expect((await rowhouse.get(`/shop/${view}.json`, { as: "root" })).text, view).to.match(
          /hushed|true/i,
        );
      }
      expect((await rowhouse.get("/shop/harmless.json")).json.rows).to.have.length(1);
    });
  },
);
