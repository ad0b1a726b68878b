import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { buildDatabase } from "../../harness/raw-sqlite.js";
import { copy, rowsOf } from "./run-copy.js";

const LIBRARY = `
create table authors (id integer primary key autoincrement, name text not null unique);
insert into authors values (1, 'Jane Austen'), (7, 'James Joyce');
create table books (id integer primary key, title text default 'untitled', author_id integer references authors (id),
  price numeric, rating real, cover blob, mixed, big integer);
insert into books values (1, 'Emma', 1, 12, 4.5, x'ff00', 'text', 9007199254740993),
  (2, 'Ulysses ' || char(128512), 7, 12.5, 9e999, 'plain', 3, -1), (3, null, 99, null, null, null, null, null);
create index books_author on books (author_id);
create table log (line text); insert into log values ('a'), ('b');
create view titles as select [title] from books where id < 3;
create virtual table books_fts using fts5(title, content='books', content_rowid='id');
insert into books_fts(books_fts) values ('rebuild');
create table pairs (a text, b integer, primary key (a, b)) without rowid; insert into pairs values ('x', 1), ('x', 2);
`;

const LAUNCHER = fileURLToPath(new URL("../../../cli/rowhouse.cjs", import.meta.url));

/** Waits until a query has this many rows, for a minute at most. */
async function untilRows(run: () => Promise<readonly unknown[]>, count: number): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(50))
    if ((await run()).length === count) return;
  throw new Error(`The query does not have ${count} rows`);
}

/** A table with a text search. @param options of the search */
const searched = (table: string, options: string): string => `
  create table ${table} (id integer primary key, t text, xmin text); insert into ${table} values (1, 'the foxes', 'red');
  create virtual table ${table}_fts using fts5(t, xmin, content=${table}, content_rowid=id${options});
  insert into ${table}_fts (${table}_fts) values ('rebuild');`;

/** What could not be carried, without renamed columns. */
const lossesOf = (printed: string): readonly string[] =>
  printed.split("\n").filter((line) => line.startsWith("- ") && !line.includes("xmin"));

describePostgres("rowhouse copy", (server) => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "rowhouse-copy-"))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const library = async (): Promise<string> => {
    const file = join(folder, "library.db");
    await buildDatabase(file, LIBRARY);
    return file;
  };

  it("carries a SQLite file to PostgreSQL and back, with equal values", async () => {
    const file = await library();
    const uri = await server().createDatabase();
    const back = join(folder, "back.db");

    const there = await copy(file, uri);
    const here = await copy(uri, back);

    expect(there).to.contain("Copied 4 tables with 9 rows; counts and checksums are equal.");
    expect(there).to.contain("books: the foreign key to authors holds for new rows only");
    expect(here).to.contain("Copied 4 tables with 9 rows; counts and checksums are equal.");
    const sql =
      "select id, title, author_id, price, rating, big, typeof(cover) as cover from books order by id";
    expect(await rowsOf(back, sql)).to.deep.equal(
      await rowsOf(file, sql.replace("typeof(cover)", "iif(cover is null, 'null', 'blob')")),
    );
    expect(await rowsOf(back, "select rowid, line from log")).to.deep.equal(
      await rowsOf(file, "select rowid, line from log"),
    );
  });

  it("keeps keys, types, indexes, searches and views, and assigns keys after the greatest", async () => {
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);
    await copy(await library(), uri);

    await server().run("insert into authors (name) values ('New')", database);
    const [types] = await server().run(
      `select string_agg(column_name || ' ' || data_type, ', ' order by ordinal_position) as types
       from information_schema.columns where table_name = 'books'`,
      database,
    );
    expect(types).to.deep.equal({
      types:
        "id bigint, title text, author_id bigint, price numeric, rating double precision, cover bytea, mixed text, " +
        "big bigint, rowhouse_search tsvector",
    });
    expect(await server().run("select max(id)::int as id from authors", database)).to.deep.equal([{ id: 8 }]);
    expect(await server().run("select count(*)::int as n from titles", database)).to.deep.equal([{ n: 2 }]);
    expect(await server().run("select price::text from books order by id", database)).to.deep.equal([
      { price: "12" },
      { price: "12.5" },
      { price: null },
    ]);
  });

  it("leaves nothing behind when it fails, and touches no table that exists", async () => {
    const uri = await server().createDatabase("create table books (id int)");
    const error = await failure(copy(await library(), uri));

    expect(error.message).to.contain("has a table or view named books already");
    expect(
      await server().run(
        "select count(*)::int as n from pg_tables where schemaname = 'public'",
        uri.split("/").at(-1),
      ),
    ).to.deep.equal([{ n: 1 }]);
  });

  it("leaves nothing behind when the copy differs, and removes no table that exists", async () => {
    const uri = await server().createDatabase(`
      create table other (id int); insert into other values (7);
      create function changed() returns trigger language plpgsql as $$ begin new.name = new.name || '!'; return new; end $$;
      create function watch() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.authors') then
          create trigger changed before insert on authors for each row execute function changed();
        end if; end $$;
      create event trigger watching on ddl_command_end when tag in ('CREATE TABLE') execute function watch();`);
    const database = uri.split("/").at(-1);
    const file = await library();

    const error = await failure(copy(file, uri));
    const left = await server().run(
      "select relname from pg_class where relnamespace = 'public'::regnamespace",
      database,
    );
    await server().run("drop event trigger watching", database);

    expect(left).to.deep.equal([{ relname: "other" }]);
    expect(error.message).to.equal("The copy of authors has other values, and nothing is copied");
    expect(await copy(file, uri)).to.contain("counts and checksums are equal");
    expect(await server().run("select id from other", database)).to.deep.equal([{ id: 7 }]);
  });

  it("carries checks, generated columns, text without case and the last key that was assigned", async () => {
    const file = join(folder, "rules.db");
    await buildDatabase(
      file,
      `create table boxes (id integer primary key autoincrement, w integer check (w > 0), h integer,
         area integer as (w * h) virtual, label text generated always as (w || 'x' || h) stored,
         tag text collate nocase unique, check (typeof(h) = 'integer'));
       create table shares (code text not null primary key, part real check (part between 0 and 1.5));
       insert into boxes (w, h, tag) values (2, 3, 'a'), (4, 5, 'b'), (6, 7, null);
       delete from boxes where id = 3`,
    );
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);

    const printed = await copy(file, uri);
    await copy(uri, join(folder, "back.db"));

    expect(printed)
      .to.contain("- boxes: CHECK (typeof ( h ) = 'integer')")
      .and.not.to.contain("- boxes.area");
    const [added] = await server().run(
      "insert into boxes (w, h) values (8, 9) returning id::int, area::int, label",
      database,
    );
    expect(added).to.deep.equal({ id: 4, area: 72, label: "8x9" });
    expect((await failure(server().run("insert into boxes (w) values (0)", database))).message).to.contain(
      'check constraint "w > 0"',
    );
    expect(
      (await failure(server().run("insert into boxes (tag) values ('A')", database))).message,
    ).to.contain("unique constraint");
    expect(
      await rowsOf(join(folder, "back.db"), "select area, label from boxes where tag = 'A'"),
    ).to.deep.equal([{ area: 6, label: "2x3" }]);
    const back = (sql: string) => failure(rowsOf(join(folder, "back.db"), sql));
    expect((await back("insert into shares values (null, 1)")).message).to.contain("NOT NULL");
    expect((await back("insert into shares values ('a', 2)")).message).to.contain("CHECK");
    expect(
      (await failure(rowsOf(join(folder, "back.db"), "insert into boxes (w) values (0)"))).message,
    ).to.contain("CHECK constraint failed");
  });

  it("leaves out only those rules of a table that the target rejects, and names them", async () => {
    const file = join(folder, "rules.db");
    await buildDatabase(
      file,
      `create table rules (id integer primary key, n integer default 99999999999999999999 check (n > 0), m integer default 1.5,
         code text collate nocase check (code > 5), double integer generated always as (n * 2) stored,
         odd text generated always as (n + code) stored, size integer default 3, check (n < 10));
       insert into rules (n, m, code) values (1, 1, 'A')`,
    );
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);

    const printed = await copy(file, uri);

    expect(lossesOf(printed)).to.have.length(4);
    expect(printed)
      .to.match(/- rules: CHECK \(code > 5\): operator does not exist/)
      .and.to.match(/- rules\.odd: the expression n \+ code: operator does not exist/)
      .and.to.match(/- rules\.n: the default 99999999999999999999\n/)
      .and.to.match(/- rules\.m: the default 1\.5\n/);
    for (const n of [0, 10])
      expect(
        (await failure(server().run(`insert into rules (n) values (${n})`, database))).message,
      ).to.contain("check constraint");
    const found = await server().run(
      "select double::int, odd, size::int from rules where code = 'a'",
      database,
    );
    expect(found).to.deep.equal([{ double: 2, odd: "1", size: 3 }]);
    expect(
      await server().run("insert into rules (n) values (2) returning size::int", database),
    ).to.deep.equal([{ size: 3 }]);
  });

  it("names constraints and clauses that the target does not have", async () => {
    const from = await server().createDatabase(`
      create extension btree_gist;
      create table rooms (id int primary key, room int, during int4range, code int unique deferrable initially deferred,
        rank int, unique nulls not distinct (rank), exclude using gist (room with =, during with &&));
      insert into rooms values (1, 1, '[1,5)', 1, null);
      create table uses (id int primary key, code int references rooms (id) deferrable);`);
    const file = join(folder, "clauses.db");
    await buildDatabase(
      file,
      `create table t (id integer primary key, a text unique on conflict replace, b text collate rtrim,
         c text collate nocase, d text collate binary, e text check (e = 'x' collate rtrim));
       insert into t (c) values ('x'), (x'ff');`,
    );

    const here = lossesOf(await copy(from, join(folder, "back.db")));
    const there = lossesOf(await copy(file, await server().createDatabase()));

    expect(here.filter((line) => !line.includes("int4range"))).to.have.members([
      "- rooms: DEFERRABLE INITIALLY DEFERRED in: CONSTRAINT rooms_code_key UNIQUE DEFERRABLE INITIALLY DEFERRED",
      "- rooms: NULLS NOT DISTINCT in: CONSTRAINT rooms_rank_key UNIQUE NULLS NOT DISTINCT",
      "- uses: DEFERRABLE in: CONSTRAINT uses_code_fkey FOREIGN KEY REFERENCES rooms DEFERRABLE",
      "- rooms: the exclusion constraint rooms_room_during_excl: CREATE INDEX rooms_room_during_excl ON public.rooms USING gist (room, during)",
    ]);
    expect(there).to.have.members([
      "- t.c: stored as bytes: text (1)",
      "- t: on conflict replace in: a text unique on conflict replace",
      "- t: collate rtrim in: b text collate rtrim",
      "- t.c: the order without case, which columns of bytes do not have",
      "- t: CHECK (e = 'x' collate rtrim)",
    ]);
  });

  it("carries lists of allowed values, and names types that become text or numbers", async () => {
    const uri = await server().createDatabase(`
      create type mood as enum ('sad', 'it''s ok');
      create table t (id int primary key, status text check (status in ('a', 'b''s')), n numeric check (n in (1, 2)),
        feeling mood, code varchar(3), day date, done boolean, other varchar);
      insert into t values (1, 'a', 1, 'sad', 'abc', '2020-01-02', true, 'x');`);
    const back = join(folder, "back.db");

    const printed = await copy(uri, back);

    expect(lossesOf(printed)).to.deep.equal([
      "- t: other types in the target: feeling mood, code character varying(3), day date, done boolean",
    ]);
    for (const set of ["status = 'c'", "n = 3", "feeling = 'happy'"])
      expect((await failure(rowsOf(back, `update t set ${set}`))).message).to.contain(
        "CHECK constraint failed",
      );
    await rowsOf(back, "update t set status = 'b''s', n = 2, feeling = 'it''s ok'");
  });

  it("names views that return other rows than in the source", async () => {
    const file = join(folder, "views.db");
    await buildDatabase(
      file,
      `create table t (id integer primary key, name text, n integer, m numeric);
       insert into t values (1, 'Ann', 7, 7), (2, 'bob', 3, 2.5);
       create view likes as select id from t where name like 'a%';
       create view halves as select m / 2 as half from t;
       create view sums as select count(*) as c, sum(n) as s, avg(n) as a, max(m) as m, n > 5 as big from t group by n;
       create view named (a, "B c") as select id, count(*) from t group by id;
       create view unnamed as select count(*), max(name) || 'x' from t;
       create view long as select 'a text that is longer than the longest name of a column in PostgreSQL' from t;
       create view failing as select 1 / (n - 7) as q from t;`,
    );

    const uri = await server().createDatabase();

    const printed = await copy(file, uri);

    const columns = await server().run(
      `select table_name as name, string_agg(column_name, '; ' order by ordinal_position) as columns
       from information_schema.columns where table_name in ('named', 'unnamed') group by 1 order by 1`,
      uri.split("/").at(-1),
    );
    expect(columns).to.deep.equal([
      { name: "named", columns: "a; B c" },
      { name: "unnamed", columns: "count(*); max(name) || 'x'" },
    ]);
    expect(lossesOf(printed)).to.deep.equal([
      "- the view long: The name 'a text that is longer than the longest name of a column in PostgreSQL' is longer than 63 bytes",
      "- the view likes: it returns other rows than in the source",
      "- the view halves: it returns other rows than in the source",
      "- the view failing: it can't be compared: division by zero",
    ]);
  });

  it("carries views of PostgreSQL with literals, which it shows with their types", async () => {
    const from = await server().createDatabase(`
      create table people (id int primary key, name text);
      insert into people values (1, 'Ann'), (2, 'Eve'), (3, null);
      create view early as select id, coalesce(name, 'unnamed') || ':text' as shown from people where name < 'B' or name is null;
      create view dated as select date '2024-02-01' as day from people;`);
    const to = join(folder, "literals.db");

    const printed = await copy(from, to);

    expect(lossesOf(printed)).to.deep.equal([
      "- the view dated: it has ::date, which only the source understands",
    ]);
    expect(await rowsOf(to, "select id, shown from early order by id")).to.deep.equal([
      { id: 1, shown: "Ann:text" },
      { id: 3, shown: "unnamed:text" },
    ]);
  });

  it("carries partial indexes and those of expressions, and searches there and back", async () => {
    const file = join(folder, "indexes.db");
    await buildDatabase(
      file,
      `create table t (id integer primary key, a text, b integer, "C d" text);
       insert into t values (1, 'x', 1, 'one'), (2, 'X', 0, 'two');
       create unique index lower_a on t (lower(a), b desc) where b > 0;
       create index sums on t (b + 1, "C d");
       create index years on t (strftime('%Y', a));
       create unique index caseless on t (a collate nocase, id);
       create trigger t_fts_stamp after insert on t begin update t set b = 5 where id = new.id; end;
       create virtual table t_fts using fts5("C d", content='t', content_rowid='id');
       insert into t_fts(t_fts) values ('rebuild')`,
    );
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);

    const there = await copy(file, uri);
    await server().run(
      `create function same() returns trigger language plpgsql as 'begin return new; end';
       create trigger kept before insert on t for each row execute function same()`,
      database,
    );
    const here = await copy(uri, join(folder, "back.db"));

    const listed = await server().run(
      "select indexdef as sql from pg_indexes where tablename = 't' and indexname in ('lower_a', 'sums') order by 1",
      database,
    );
    expect(listed.map(({ sql }) => sql)).to.deep.equal([
      'CREATE INDEX sums ON public.t USING btree (((b + 1)), "C d")',
      "CREATE UNIQUE INDEX lower_a ON public.t USING btree (lower(a), b DESC) WHERE (b > 0)",
    ]);
    expect(
      (await failure(server().run("insert into t (id, a, b) values (3, 'X', 1)", database))).message,
    ).to.contain("lower_a");
    expect(there)
      .to.contain("- t: the index years: ")
      .and.to.contain("- t: the index caseless: ")
      .and.to.contain("- t: the trigger t_fts_stamp: its statements are in the SQL of the source");
    expect(here.split("Not carried:\n")[1]).to.equal(
      "- t: the trigger kept: its statements are in the SQL of the source\n",
    );
    const back = join(folder, "back.db");
    expect(
      await rowsOf(back, "select name from sqlite_schema where name in ('lower_a', 'sums')"),
    ).to.have.length(2);
    expect(await rowsOf(back, "select rowid from t_fts where t_fts match 'two'")).to.deep.equal([
      { rowid: 2 },
    ]);
  });

  it("searches for the same forms of words, there and back, and names searches that it does not carry", async () => {
    const file = join(folder, "searches.db");
    await buildDatabase(
      file,
      `${searched("plain", "")} ${searched("stemmed", ", tokenize='porter unicode61'")} ${searched("parts", ', tokenize="trigram"')}
       create virtual table second using fts5(t, content=plain, content_rowid=id, tokenize=trigram);
       create view lines as select id, t from plain;
       create trigger inserted instead of insert on lines begin insert into plain (t) values (new.t); end;
       create virtual table lines_fts using fts5(t, content=lines, content_rowid=id);`,
    );
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);
    const back = join(folder, "back.db");

    const there = await copy(file, uri);
    const here = await copy(uri, back);

    expect(lossesOf(there)).to.have.members([
      "- the virtual table second",
      "- the virtual table lines_fts",
      "- the view lines: the trigger inserted: its statements are in the SQL of the source",
      "- stemmed: the search finds words by english, not by porter unicode61",
      "- parts: the search finds words by simple, not by trigram",
    ]);
    expect(lossesOf(here)).to.deep.equal([]);
    const found = async (table: string, word: string): Promise<number> => {
      const sql = `select 1 from ${table} where rowhouse_search @@ websearch_to_tsquery('CONF', '${word}')`;
      const configuration = table === "stemmed" ? "english" : "simple";
      return (await server().run(sql.replace("CONF", configuration), database)).length;
    };
    expect(await found("plain", "fox")).to.equal(0);
    expect(await found("plain", "the foxes red")).to.equal(1);
    expect(await found("stemmed", "fox red")).to.equal(1);
    const sought = "select rowid from stemmed_fts where stemmed_fts match 'fox'";
    expect(await rowsOf(back, sought)).to.have.length(1);
    expect(await rowsOf(back, sought.replaceAll("stemmed", "plain"))).to.have.length(0);
  });

  it("names a search of a table whose words have another source", async () => {
    const uri = await server().createDatabase(
      `create table t (id int primary key, body text, words tsvector); insert into t values (1, 'a', 'b');
       create table u (id int primary key, body text, words tsvector generated always as (to_tsvector('german', body)) stored);`,
    );

    const printed = await copy(uri, join(folder, "back.db"));

    expect(lossesOf(printed)).to.deep.equal([
      "- t: the search of the column words, whose source is not known",
      "- u: the search finds words by unicode61, not by german",
    ]);
  });

  it("carries defaults: literals, and the moment of an insert", async () => {
    const file = join(folder, "defaults.db");
    await buildDatabase(
      file,
      `create table d (id integer primary key, made text default current_timestamp, day text default current_date,
         n integer default -5, x real default 1.5, t text default 'it''s', u text default 7, gone text default null,
         odd text default (lower(hex(randomblob(4)))));
       insert into d (id) values (1); update d set x = 1.5`,
    );
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);

    const there = await copy(file, uri);
    const [row] = await server().run(
      `set timezone to 'UTC'; insert into d (id) values (2)
       returning made ~ '^20..-..-.. ..:..:..$' as made, day ~ '^20..-..-..$' as day, n::int, x, t, u, gone`,
      database,
    );
    await server().run("delete from d where id = 2", database);
    const here = await copy(uri, join(folder, "back.db"));
    const back = await rowsOf(
      join(folder, "back.db"),
      "select name, dflt_value as value from pragma_table_info('d') where dflt_value is not null",
    );

    expect(row).to.deep.equal({ made: true, day: true, n: -5, x: 1.5, t: "it's", u: "7", gone: null });
    expect(there.match(/the default .*/g)).to.deep.equal(["the default lower(hex(randomblob(4)))"]);
    expect(here).not.to.contain("the default");
    expect(back).to.deep.equal([
      { name: "made", value: "CURRENT_TIMESTAMP" },
      { name: "day", value: "CURRENT_DATE" },
      { name: "n", value: "-5" },
      { name: "x", value: "1.5" },
      { name: "t", value: "'it''s'" },
      { name: "u", value: "'7'" },
    ]);
  });

  it("carries defaults of bytes, there and back", async () => {
    const file = join(folder, "defaults.db");
    await buildDatabase(
      file,
      `create table d (id integer primary key, b blob default x'00FF', empty blob default x'', mixed default 'é''s',
         quoted text default "it's", plus integer default +5, big real default 1e3, odd text default x'41', rounded text default 1.50);
       insert into d (b, empty, mixed, big, odd) values (x'01', x'02', x'03', 1.5, 'o')`,
    );
    const uri = await server().createDatabase();
    const database = uri.split("/").at(-1);

    const there = await copy(file, uri);
    const [row] = await server().run(
      `insert into d (id) values (2) returning encode(b, 'hex') as b, encode(empty, 'hex') as empty,
         convert_from(mixed, 'UTF8') as mixed, quoted, plus::int, big, odd`,
      database,
    );
    await server().run("delete from d where id = 2", database);
    const here = await copy(uri, join(folder, "back.db"));

    expect(row).to.deep.equal({
      b: "00ff",
      empty: "",
      mixed: "é's",
      quoted: "it's",
      plus: 5,
      big: 1000,
      odd: null,
    });
    expect(there.match(/the default .*/g)).to.deep.equal(["the default x'41'", "the default 1.50"]);
    expect(here).not.to.contain("the default");
    const back = "select name, dflt_value as value from pragma_table_info('d') where dflt_value is not null";
    expect(await rowsOf(join(folder, "back.db"), back)).to.deep.equal([
      { name: "b", value: "x'00ff'" },
      { name: "empty", value: "x''" },
      { name: "mixed", value: "x'c3a92773'" },
      { name: "quoted", value: "'it''s'" },
      { name: "plus", value: "5" },
      { name: "big", value: "1000" },
    ]);
  });

  it("assigns no key again that the source has assigned, and names columns that are no longer assigned", async () => {
    const uri = await server().createDatabase(
      `create table kept (seq serial, id int primary key generated always as identity, line text);
       insert into kept (line) values ('a'), ('b'), ('c'); delete from kept where id > 1;
       create table emptied (id bigserial primary key); insert into emptied default values; delete from emptied;
       create table pairs (a serial, b int, primary key (a, b)); insert into pairs values (1, 2);
       create table plain (id int primary key);`,
    );
    const back = join(folder, "back.db");

    const printed = await copy(uri, back);

    expect(lossesOf(printed)).to.deep.equal([
      "- kept.seq: its values are copied, but no longer assigned",
      "- pairs.a: its values are copied, but no longer assigned",
    ]);
    const sql = "select name, seq from sqlite_sequence order by name";
    expect(await rowsOf(back, sql)).to.deep.equal([
      { name: "emptied", seq: 1 },
      { name: "kept", seq: 3 },
    ]);
    await rowsOf(back, "insert into kept (seq, line) values (9, 'd')");
    expect(await rowsOf(back, "select id from kept where line = 'd'")).to.deep.equal([{ id: 4 }]);
  });

  it("carries each name of the moment of an insert", async () => {
    const uri = await server().createDatabase(
      `create table d (id int primary key, made timestamptz default current_timestamp, at timestamptz default now(),
         day date default current_date)`,
    );

    const printed = await copy(uri, join(folder, "back.db"));

    expect(printed).not.to.contain("the default");
    expect(
      await rowsOf(
        join(folder, "back.db"),
        "select dflt_value as value from pragma_table_info('d') where cid > 0",
      ),
    ).to.deep.equal([
      { value: "CURRENT_TIMESTAMP" },
      { value: "CURRENT_TIMESTAMP" },
      { value: "CURRENT_DATE" },
    ]);
  });

  it("records foreign keys without enforcing them, on request and if the other table is missing", async () => {
    const file = join(folder, "loose.db");
    await buildDatabase(
      file,
      `create table a (id integer primary key); create table b (id integer primary key, "A id" references a (id),
         lost references gone (id)); insert into b values (1, 5, 6)`,
    );
    const uri = await server().createDatabase();

    const printed = await copy(file, uri, { foreignKeys: "record" });
    await copy(uri, join(folder, "back.db"));

    expect(printed).to.contain("- b: the foreign key to gone is recorded, and not enforced");
    expect(
      await rowsOf(join(folder, "back.db"), `select "table", "from", "to" from pragma_foreign_key_list('b')`),
    ).to.deep.equal([
      { table: "gone", from: "lost", to: "id" },
      { table: "a", from: "A id", to: "id" },
    ]);
  });

  it("records a foreign key between columns of different types, so that links and labels remain", async () => {
    const file = join(folder, "types.db");
    await buildDatabase(
      file,
      `create table authors (id integer primary key, name text); create table books (id integer primary key,
         author text references authors); insert into authors values (1, 'Ann'); insert into books values (1, '1')`,
    );
    const uri = await server().createDatabase();

    const printed = await copy(file, uri);
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const { json } = await rowhouse.get("/shop/books.json?_labels=on&_shape=array");

    expect(printed).to.contain(
      '- books: the foreign key to authors is recorded, and not enforced: foreign key constraint "books_author_fkey" cannot be implemented',
    );
    expect(json).to.deep.equal([{ id: 1, author: { value: "1", label: "Ann" } }]);
  });

  it("leaves nothing behind when its process is killed after the rows were sent", async () => {
    const uri = await server().createDatabase();
    const file = await library();
    const database = uri.split("/").at(-1);
    // The copy creates an index of this name after the rows, and waits for the other transaction.
    const held = server()
      .run(
        "begin; create table held (id int); create index books_author on held (id); select pg_sleep(60)",
        database,
      )
      .catch(() => null);
    await untilRows(() => server().run("select 1 from pg_stat_activity where wait_event = 'PgSleep'"), 1);

    const command = spawn(process.execPath, [LAUNCHER, "copy", file, uri], { stdio: "ignore" });
    const exited = once(command, "exit");
    await untilRows(() => server().run("select 1 from pg_stat_activity where wait_event_type = 'Lock'"), 1);
    command.kill("SIGKILL");
    await exited;
    await server().run("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
    await held;

    const tables = "select 1 from pg_tables where schemaname = 'public'";
    await untilRows(() => server().run(tables, database), 0);
    expect(await copy(file, uri)).to.contain("counts and checksums are equal");
  });
});
