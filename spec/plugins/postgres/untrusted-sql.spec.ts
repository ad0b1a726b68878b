import { expect } from "chai";
import type { ReadOptions } from "rowhouse/plugin-api/engine";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { SHOP } from "./shop.js";

const GUEST = `${SHOP}
do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
grant usage on schema public to guest; grant select on all tables in schema public to guest;
create table secrets (id int primary key, word text); insert into secrets values (1, 'hidden');
`;

describePostgres("untrusted SQL on PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  let uri: string;
  before(async () => {
    uri = await server().createDatabase(GUEST);
    rowhouse = await rowhouseFor({ settings: { sql_time_limit_ms: 1_000 } });
    await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
  });

  const sql = (text: string, more = "") => rowhouse.get(`/shop.json?sql=${encodeURIComponent(text)}${more}`);

  it("runs as the read_role, with named parameters and exact values", async () => {
    const { json } = await sql(
      "select current_user as me, id::text as id, price from books where id = :id",
      "&id=1",
    );
    const where = await rowhouse.get("/shop/books.json?_where=price+>+20&_col=title&_nosuggest=1");

    expect((json as { readonly rows: unknown }).rows).to.deep.equal([["guest", "1", 12.5]]);
    expect((where.json as { readonly rows: unknown[] }).rows).to.have.length(1);
  });

  it("runs again for each request, because functions can return something else", async () => {
    for (const query of ["select clock_timestamp()", "select localtime", "select now()"]) {
      const [one, other] = [await sql(query), await sql(query)];
      expect(one.status, one.text).to.equal(200);
      expect(one.headers, query).not.to.have.property("etag");
      expect(one.json.rows, query).not.to.deep.equal(other.json.rows);
    }
  });

  it("does not run without the allowlist if that has the name of version 0.1", async () => {
    const options = { confine: { tables: new Set(), views: new Set(), attached: new Map() } } as ReadOptions;
    const database = rowhouse.rowhouse.database("shop");

    const error = await failure(database.read("select word from secrets", {}, options));

    expect(error.message).to.equal("The read option confine is now called allowlist");
  });

  it("rejects numbered parameters, which would be values of others", async () => {
    for (const query of [
      "?sql=select+$1",
      "?sql=select+$1,:id&id=1",
      "/books.json?_where=$1=1&title__gt=a",
    ]) {
      const { status, text } = await rowhouse.get(`/shop${query.startsWith("?") ? ".json" : ""}${query}`);
      expect(status, text).to.equal(400);
      expect(text).to.contain("You did not supply a value for binding parameter $1.");
    }
  });

  it("names the quote or comment that is not closed, and nothing that is added to the SQL", async () => {
    const open = ["'not closed", "E'a\\'", '"name', "$x$ a $$", "/* a /* b */"];
    for (const text of open) {
      const { status, json } = await sql(`select 1, ${text}`);
      expect([status, (json as { readonly error: string }).error]).to.deep.equal([
        400,
        `unterminated quote or comment: ${text}`,
      ]);
    }
    const closed = ["'a' -- b", "E'a\\\\'", '1 as "1"', "$x$ a $x$", "1 /* a /* b */ */ \ufeff "];
    for (const text of closed) {
      const reply = await sql(`select ${text}`);
      expect(reply.status, `${text}: ${reply.text}`).to.equal(200);
    }
  });

  it("streams CSV from one snapshot", async () => {
    const { text } = await rowhouse.get(
      `/shop.csv?_stream=1&sql=${encodeURIComponent("select i from generate_series(1, 3000) as i")}`,
    );
    expect(text.trim().split("\r\n")).to.have.length(3001);
  });

  describe("with a result too large for memory", () => {
    let patient: TestRowhouse;
    // A slow machine needs more than a second for these results.
    before(async () => {
      patient = await rowhouseFor();
      await patient.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
    });

    const read = (format: string, text: string, more = "") =>
      patient.get(`/shop.${format}?sql=${encodeURIComponent(text)}${more}`);

    for (const large of [
      "select repeat('x', 51000000)",
      "select repeat('x', 10000000) from generate_series(1, 6)",
    ]) {
      it(`is an error: ${large}`, async () => {
        const { status, json } = await read("json", large);
        const next = await read("json", "select 1 as one", "&_shape=array");

        expect([status, json.error]).to.deep.equal([400, "string or blob too big"]);
        expect(next.json).to.deep.equal([{ one: 1 }]);
      });
    }

    it("is an error in a stream", async () => {
      const reply = await read("csv", "select repeat('x', 51000000)", "&_stream=1");

      expect(reply.status).to.equal(400);
      expect(reply.text).to.contain("string or blob too big");
    });
  });

  for (const refused of [
    "select 1; drop table books",
    "select 1; select 2",
    "insert into books (id) values (50)",
    "with x as (delete from books returning *) select * from x",
    "select * from books for update",
    "select query from pg_stat_activity",
    'select query from pg_catalog."pg_stat_activity"',
    "select query from pg_stat_get_activity(null)",
    "select pg_stat_get_backend_activity(1)",
    "select set_config('role', 'rowhouse', false)",
    "select \"set_config\"('transaction_read_only', 'off', false)",
    "select U&\"set\\005fconfig\"('role', 'rowhouse', false)",
    "set role rowhouse",
    "explain analyze delete from books",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('.')",
    "select * from dblink('host=localhost', 'select 1') as t(a int)",
    "select lo_import('/etc/passwd')",
    "select lo_create(0)",
    "select lo_get(1)",
    "select lo_from_bytea(0, 'x')",
    "select pg_read_binary_file('/etc/passwd')",
    "select pg_stat_file('.')",
    "select dblink_connect('x', 'host=localhost')",
    "select * from ts_stat('select set_config(''role'', ''rowhouse'', false)::tsvector')",
    "select pg_logical_emit_message(false, 'a', 'b')",
    "select pg_current_xact_id()",
    "set session authorization rowhouse",
    "reset role",
    "set local transaction_read_only to off",
    "begin; delete from books; commit",
    "commit; delete from books",
    "rollback",
    "prepare p as delete from books",
    "lock table books",
    "vacuum",
    "alter role guest superuser",
    "notify a",
    "unlisten *",
    "refresh materialized view totals",
    "call something()",
    "select 1 /* ; */; -- \n delete from books",
    "select $$;$$; delete from books",
    "select pg_notify('a', 'b')",
    "select query_to_xml('select 1', true, true, '')",
    "select pg_terminate_backend(pid) from pg_stat_activity",
    "select pg_advisory_lock(1)",
    "select E'a'\n'b\\'', set_config('bytea_output', 'escape', false), 'c'",
    "select E'a' -- '\n -- '\n 'b\\'', query, 'c' from pg_stat_activity",
    "select nextval('authors_id_seq')",
    "select * from secrets",
    "select word from public.secrets",
    "copy books to program 'true'",
    "select * from pg_authid",
    "do $$ begin delete from books; end $$",
    "create temp table t (a int)",
    "select 1 into temp t",
    "listen a",
  ]) {
    it(`refuses ${refused}`, async () => {
      const { status } = await sql(refused);
      expect(status).to.be.oneOf([400, 403]);
      const where = encodeURIComponent(`1 = 1) union (${refused}`);
      expect((await rowhouse.get(`/shop/books.json?_where=${where}`)).status).to.be.oneOf([400, 403]);
    });
  }

  it("takes semicolons and comments inside of one statement", async () => {
    const { json } = await sql("select ';' as a, $x$;$x$ as b /* ; */ -- ;\n;");
    expect((json as { readonly rows: unknown }).rows).to.deep.equal([[";", ";"]]);
  });

  it("leaves nothing behind in a session", async () => {
    for (let times = 0; times < 5; times += 1) await sql("select set_byte('\\x00'::bytea, 0, 1), now()");
    const { json } = await sql(
      "select current_setting('default_transaction_read_only') as mode, current_user as me",
    );

    expect((json as { readonly rows: unknown }).rows).to.deep.equal([["on", "guest"]]);
    expect(await server().run("select count(*)::int as n from books", uri.split("/").at(-1))).to.deep.equal([
      { n: 3 },
    ]);
  });

  it("leaves no temporary table behind in the session of a stream", async () => {
    const one = await rowhouseFor({ settings: { num_sql_threads: 1 } });
    await one.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
    // To the check of the first words, the comment ends before SELECT.
    const hiding = "explain /* /* */ select */ analyze select 666 as id into temp books";
    const streamed = await one.get(`/shop.csv?_stream=1&sql=${encodeURIComponent(hiding)}`);
    const { json } = await one.get("/shop.json?sql=select+count(*)+from+books");
    const where = await one.get("/shop/books.json?_where=1=1&_nosuggest=1");

    expect(streamed.text).to.contain("Execution Time");
    expect(json.rows).to.deep.equal([[3]]);
    expect(where.json.rows).to.have.length(3);
  });

  it("ends at the time limit, and when the caller goes away", async () => {
    const started = performance.now();
    const { status, text } = await sql("select pg_sleep(30)");
    const database = rowhouse.rowhouse.database("shop");
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 50);
    const options = { trust: "untrusted", timeLimitMs: 60_000, signal: caller.signal } as const;
    const left = await failure(database.read("select pg_sleep(30)", [], options));

    expect(status).to.equal(400);
    expect(text).to.contain("took too long");
    expect(left.name).to.equal("QueryInterrupted");
    expect(performance.now() - started).to.be.below(15_000);
  });

  it("is refused where what it reads can't be shown to be allowed", async () => {
    const closed = await rowhouseFor({
      settings: { confine_sql: true },
      metadata: { databases: { shop: { tables: { authors: { allow: false } } } } },
    });
    await closed.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
    const { status } = await closed.get("/shop.json?sql=select+1");

    expect(status).to.equal(403);
  });

  for (const [what, role, script] of [
    ["a superuser", "chief", "create role chief superuser login"],
    ["the role that writes", "rowhouse", "select 1"],
    ["a role that does not exist", "missing", "select 1"],
    ["a role that may write", "writer", "create role writer login; grant insert on books to writer"],
  ] as const) {
    it(`does not start with ${what} as read_role`, async () => {
      await server().run(script, uri.split("/").at(-1));
      const error = await failure(
        rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=${role}`, name: "other", mutable: true }),
      );

      expect(error.message).to.match(/^The read_role /);
    });
  }
});
