import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { SHOP } from "./shop.js";

const BOOKS = {
  table: "books",
  where: "id < :limit",
  params: { limit: 100 },
  hiddenColumns: ["price", "rating"],
};

/** Readers see cheap books without their price and rating. The price of Ulysses and its title are secret. */
const privacy = definePlugin({
  name: "privacy",
  read_scope: () => [
    BOOKS,
    { table: "sales", hiddenColumns: ["amount"] },
    { table: "fees", hiddenColumns: ["amount"] },
  ],
});

const SECRETS = /Ulysses|123456789012345678|12\.50|secret_rule|members/;

describePostgres("what is hidden in a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(
      `${SHOP}
       create table members (id int primary key, name text, favourite bigint references books (id));
       insert into members values (1, 'Ada', 9007199254740993);
       create view expensive as select title, price from books;
       alter table books add constraint secret_rule check (price < 1e30);
       create table sales (id int primary key, note text, amount int default -1 check (amount > 0));
       create table fees (region text, amount int not null default 5, unique (region, amount)) partition by list (region);
       create table fees_north partition of fees for values in ('north');
       create table fees_south partition of fees for values in ('south');
       insert into fees values ('north'), ('south');
       create function note_fee() returns trigger language plpgsql as
         'begin insert into rates values (new.name); return new; end';
       create table rates (rate text primary key) partition by list (rate);
       create table rates_secret_rule partition of rates default;
       create trigger noted before insert on authors for each row execute function note_fee();
       insert into rates values ('Known');
       alter table books alter rating set default 0;
       do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
       grant select on all tables in schema public to guest`,
    );
    rowhouse = await rowhouseFor({
      plugins: [privacy],
      settings: { confine_sql: true },
      metadata: {
        databases: {
          shop: {
            permissions: { "insert-row": true, "update-row": true, "delete-row": true },
            tables: { members: { allow: false }, rates: { allow: false }, expensive: { allow: true } },
            queries: { all: "select * from books", named: "select * from books where id = :id" },
          },
        },
      },
    });
    await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
  });

  for (const path of [
    "/shop/books.json?_shape=array",
    "/shop/books.json?_facet=title&_facet=author_id&_facet_array=tags&_facet_date=published",
    "/shop/books.json?_search=ulysses",
    "/shop/books.json?_searchmode=raw&_search=u:*",
    "/shop/books.json?_sort_desc=id&_size=1",
    "/shop/books.json?_group=author_id",
    "/shop/books.json?_labels=on&_trace=1",
    "/shop/books.csv?_stream=1",
    "/shop/books.json?_shape=array&_nl=on",
    "/shop/books",
    "/shop",
    "/shop.json",
    "/",
    "/shop/authors/2",
    "/shop/authors/2.json?_extras=foreign_key_tables",
    "/shop/books/-/columns",
    "/shop/books/-/autocomplete.json?q=uly",
    "/-/openapi.json",
  ]) {
    it(`is not shown by ${path}`, async () => {
      const { status, text } = await rowhouse.get(path);

      expect(status, text.slice(0, 500)).to.be.oneOf([200, 404]);
      expect(text.replace(/search matches "[^"]*"|ulysses/g, "")).not.to.match(SECRETS);
    });
  }

  for (const path of [
    "/shop.json?sql=select+1",
    "/shop.csv?_stream=1&sql=select+*+from+books",
    "/shop/books.json?_where=title='Ulysses'",
    "/shop/books.json?_where=1/(case+when+title='Ulysses'+then+0+else+1+end)=1",
    "/shop/authors.json?_where=exists(select+1+from+members)",
    "/shop/all.json",
    "/shop/named.json?id=9007199254740993",
    "/shop/all.csv",
    "/shop/members.json",
    "/shop/members/1.json",
    "/shop/nothing.json",
    "/shop/books/9007199254740993.json",
    "/shop/books.json?_sort=price",
    "/shop/books.json?_facet=price",
    '/shop/authors.json?_through={"table":"books","column":"price","value":"12.5"}',
    '/shop/books.json?_through={"table":"members","column":"name","value":"Ada"}',
  ]) {
    it(`is refused to ${path}`, async () => {
      const { status, text } = await rowhouse.get(encodeURI(path));

      expect(status, text.slice(0, 300)).to.be.oneOf([400, 403, 404]);
      expect(text.replaceAll("title='Ulysses'", "").replaceAll("from members", "")).not.to.match(
        /Ulysses"|123456789012345678|12\.50/,
      );
    });
  }

  it("is not told by filters, of which hidden columns are none", async () => {
    const one = await rowhouse.get("/shop/books.json?price__gt=1&_nosuggest=1&_shape=array");
    const other = await rowhouse.get("/shop/books.json?nothing__gt=1&_nosuggest=1&_shape=array");

    expect([one.status, one.text.replaceAll("price", "nothing")]).to.deep.equal([other.status, other.text]);
  });

  const post = (path: string, body: object) => rowhouse.post(`/shop/${path}`, { json: body });

  it("is not told by errors of writes", async () => {
    const replies = await Promise.all([
      post("books/-/insert", { row: { id: 50, title: "x", author_id: 77 } }),
      post("books/-/insert", { row: { id: "x" } }),
      post("books/-/insert", { row: { id: 51, price: 1e31 } }),
      post("books/-/insert", { row: { id: 51, nothing: 1 } }),
      post("books/9007199254740993/-/update", { update: { title: "y" } }),
      post("books/9007199254740993/-/delete", {}),
      post("books/-/delete", { filters: { id: "9007199254740993" } }),
      post("books/1/-/update", { update: { price: 1 } }),
    ]);

    for (const { status, text } of replies.slice(0, 6)) expect(status, text).to.be.within(400, 404);
    for (const { text } of replies) expect(text).not.to.match(SECRETS);
    expect((await server().run("select count(*)::int as n from books", "spec_1"))[0]).to.deep.equal({ n: 3 });
  });

  it("is not told by a row that others refer to", async () => {
    await server().run("insert into members values (2, 'Bea', 1)", "spec_1");
    const { status, text } = await post("books/1/-/delete", {});

    expect(status, text).to.equal(400);
    expect(text).to.contain("FOREIGN KEY constraint failed").and.not.to.match(SECRETS);
  });

  it("is not told by constraints of partitions, which are no tables of the schema", async () => {
    const replies = [
      await post("fees/-/insert", { row: { region: "south" } }),
      await post("authors/-/insert", { row: { id: 90, name: "Known" } }),
    ];

    for (const { status, json } of replies) {
      expect(status).to.equal(400);
      expect(json.errors).to.deep.equal(["UNIQUE constraint failed"]);
    }
  });

  it("is not in the name of a constraint that fails", async () => {
    const reply = await rowhouse.post("/shop/sales/-/insert", { as: "ann", json: { row: { id: 1 } } });

    expect(reply.json).to.deep.equal({ ok: false, errors: ["CHECK constraint failed"] });
  });
});

describePostgres("a condition of a caller on a PostgreSQL table with hidden rows", (server) => {
  it("is refused, because what it reads can't be shown", async () => {
    const uri = await server().createDatabase(`
      do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
      create table notes (id int primary key, word text, hidden boolean);
      insert into notes values (1, 'open', false), (2, 'secret', true);
      grant select on notes to guest;`);
    const rules = definePlugin({
      name: "rules",
      read_scope: () => ({ table: "notes", where: "not hidden" }),
    });
    const rowhouse = await rowhouseFor({ plugins: [rules] });
    await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });

    expect((await rowhouse.get("/shop/notes.json?_shape=array")).json).to.have.length(1);
    for (const condition of [
      "(2, 'secre', true) < any (table notes)",
      "word <> E'\\'' and exists (select 1 from notes as n where n.word = 'secret') and word <> ' -- '\n",
      "id = 1",
    ]) {
      const path = `/shop/notes.json?_shape=array&_where=${encodeURIComponent(condition)}`;
      expect((await rowhouse.get(path)).status, condition).to.equal(403);
    }
  });
});

describePostgres("the worked plugin row-owners on PostgreSQL", (server) => {
  it("shows no rows to actors whose value is none of the column, nor of tables without the column", async () => {
    const module = new URL("../../../../examples/row-owners/dist/src/index.js", import.meta.url);
    const { default: rowOwners } = (await import(module.href)) as { default: Plugin };
    const uri = await server().createDatabase(`
      create table notes (id int primary key, owner text); insert into notes values (1, 'ann'), (2, 'bob');
      create table others (id int primary key); insert into others values (1);
      create table numbers (id int primary key, owner int); insert into numbers values (1, 7), (2, 8);`);
    const rowhouse = await rowhouseFor({
      plugins: [rowOwners],
      metadata: { databases: { shop: { plugins: { "row-owners": { column: "owner" } } } } },
    });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const rows = async (table: string, as?: string): Promise<unknown> =>
      (await rowhouse.get(`/shop/${table}.json?_shape=array`, as === undefined ? {} : { as })).json;

    expect(await rows("notes", "ann")).to.deep.equal([{ id: 1, owner: "ann" }]);
    expect(await rows("notes")).to.deep.equal([]);
    expect(await rows("others", "ann")).to.deep.equal([]);
    expect(await rows("numbers", "ann")).to.deep.equal([]);
    expect(await rows("numbers", "7")).to.deep.equal([{ id: 1, owner: 7 }]);
  });
});
