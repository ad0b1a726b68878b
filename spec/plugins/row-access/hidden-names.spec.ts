import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

describe("the name of a hidden column", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table people (id integer primary key, name text, email text references notes (id) references people (name));
        create table mail (id integer primary key, address text references people (email));
        insert into people values (1, 'Ann', 'x');
        insert into mail values (1, 'x');
        create table notes (id integer primary key, body text);
        create trigger copy after insert on notes begin insert into notes (body) select email from people; end;
        create view loud as select id, upper(email) as shouted from people;
        create view harmless as select id, body from notes;
        create virtual table people_fts using fts5(name, email, content='people', content_rowid='id');`,
      plugins: [
        definePlugin({
          name: "no-email",
          read_scope: (_rowhouse, { actor }) =>
            actor?.id === "root" ? null : { table: "people", hiddenColumns: ["email"] },
        }),
      ],
      metadata: {
        databases: {
          library: {
            tables: { people: { units: { email: "m" }, columns: { email: "Private" }, fts_pk: "email" } },
            permissions: { "insert-row": { id: "editor" }, "alter-table": { id: "editor" } },
          },
        },
      },
    });
  });

  const pages = [
    "/library/people.json?_extra=units,metadata,columns",
    "/library/people/1.json",
    "/library/people/1.json?_extra=units,metadata,columns",
    "/library/people/1",
    "/library/loud",
    "/library/loud.json?_extra=view_definition",
    "/library/notes",
    "/library/people_fts.json",
    "/library/people_fts_data.json",
    "/-/metadata.json",
    "/library/mail",
    "/library/mail.json?_extra=expandable_columns,suggested_facets",
    "/library/mail/1",
    "/library/mail/1.json?_extras=foreign_key_tables",
    "/library.json",
    "/library",
  ];
  for (const path of pages) {
    it(`is not on ${path}`, async () => {
      expect((await rowhouse.get(path)).text).not.to.match(/\bemail\b/);
    });
  }

  for (const path of ["mail", "mail/-/new-row", "mail/-/structure", "people", "people/-/structure"]) {
    it(`is not on /library/${path} for an actor who may write`, async () => {
      const { status, text } = await rowhouse.get(`/library/${path}`, { as: "editor" });

      expect(status).to.equal(200);
      expect(text).not.to.match(/\bemail\b/);
    });
  }

  it("is not told by a table that refers to the column", async () => {
    const { status, text } = await rowhouse.get(peopleThrough("mail"));

    expect([status, text]).to.deep.equal([400, (await rowhouse.get(peopleThrough("harmless"))).text]);
  });

  it("is shown to those who may see it", async () => {
    for (const path of [
      "/library/loud.json?_extra=view_definition",
      "/library/people_fts.json",
      "/library/mail",
      "/library.json",
      "/library",
    ]) {
      expect((await rowhouse.get(path, { as: "root" })).text, path).to.match(/\bemail\b/);
    }
  });

  it("leaves the definition of other views", async () => {
    const { json } = await rowhouse.get("/library/harmless.json?_extra=view_definition");

    expect(json.view_definition).to.match(/^CREATE VIEW harmless/i);
  });
});

describe("the rule of a table", () => {
  it("is not in the SQL of a page that selects rows through the table", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table authors (id integer primary key, name text);
        create table books (id integer primary key, author_id integer references authors, title text, tenant text);
        insert into authors values (1, 'Jane'), (2, 'James');
        insert into books values (1, 1, 'Emma', 'ours'), (2, 2, 'Emma', 'theirs');`,
      plugins: [
        definePlugin({
          name: "tenants",
          read_scope: () => ({
            table: "books",
            where: "tenant = :name",
            params: { name: "ours" },
            hiddenColumns: ["tenant"],
          }),
        }),
      ],
    });
    const through = encodeURIComponent(JSON.stringify({ table: "books", column: "title", value: "Emma" }));
    const { json, text } = await rowhouse.get(`/library/authors.json?_through=${through}`);
    const page = await rowhouse.get(`/library/authors?_through=${through}`);

    expect(json.rows).to.deep.equal([[1, "Jane"]]);
    expect(json.query).to.deep.equal({
      sql: "select id, name from authors where id in (select author_id from books where title = :p0) order by id limit 101",
      params: { p0: "Emma" },
    });
    for (const shown of [text, page.text]) expect(shown).not.to.match(/tenant|ours/);
  });
});

const peopleThrough = (table: string): string =>
  `/library/people.json?_through=${encodeURIComponent(`{"table":"${table}","column":"id","value":1}`)}`;
