import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const PEOPLE = `
  insert into people values (1, 'Emma', 'wood@x.org', 'sun'), (2, 'Jane', 'emma@x.org', 'moon'), (3, 'Zed', 'z', 'emma');`;

const index = (module: string): string => `
  create table people (id integer primary key, name text, email text, note text);
  ${PEOPLE}
  create virtual table people_fts using ${module};`;

const INDEXES: Readonly<Record<string, string>> = {
  fts5: `${index("fts5(name, email, note, content='people', content_rowid='id')")}
    insert into people_fts(people_fts) values ('rebuild')`,
  fts4: `${index('fts4(name, email, note, content="people")')}
    insert into people_fts(people_fts) values ('rebuild')`,
};

const POSTGRES = `
  create table people (id int primary key, name text, email text, note text, words tsvector generated always as
    (to_tsvector('simple', coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(note, ''))) stored);
  ${PEOPLE}`;

const withoutEmail = definePlugin({
  name: "without-email",
  read_scope: (_rowhouse, { actor }) =>
    actor?.id === "root" ? null : { table: "people", hiddenColumns: ["email"] },
});

function finds(served: () => TestRowhouse, database: string): void {
  const search = (query: string, as?: string) =>
    served().get(`/${database}/people.json?_shape=arrayfirst&${query}`, as === undefined ? {} : { as });

  it("finds words of the visible columns only", async () => {
    expect((await search("_search=emma")).json).to.deep.equal([1, 3]);
    expect((await search("_search=wood")).json).to.deep.equal([]);
    expect((await search("_search_note=emma")).json).to.deep.equal([3]);
    expect((await search("_search=emma", "root")).json).to.include.members([1, 3]);
  });

  it("completes by the visible columns only", async () => {
    for (const [q, paths] of [
      ["emm", ["1", "3"]],
      ["woo", []],
    ]) {
      const { json } = await served().get(`/${database}/people/-/autocomplete.json?q=${String(q)}`);
      expect(json.rows.map(({ path }: { readonly path: string }) => path)).to.deep.equal(paths);
    }
  });
}

describe("a search in an index with a hidden column", () => {
  for (const [name, sql] of Object.entries(INDEXES)) {
    describe(name, () => {
      let rowhouse: TestRowhouse;
      before(async () => {
        rowhouse = await rowhouseFor({ sql, plugins: [withoutEmail] });
      });

      finds(() => rowhouse, "library");

      it("does not tell by expressions which columns the index has", async () => {
        for (const column of ["email", "nothing"]) {
          const path = `/library/people.json?_shape=arrayfirst&_searchmode=raw&_search=${column}:emma`;
          const { status, text } = await rowhouse.get(path);
          expect([status, text]).to.deep.equal([200, "[]"]);
          const { status: refused } = await rowhouse.get(`/library/people.json?_search_${column}=emma`);
          expect(refused).to.equal(400);
        }
      });
    });
  }
});

describePostgres("a search in an index of PostgreSQL with a hidden column", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(POSTGRES);
    rowhouse = await rowhouseFor({ plugins: [withoutEmail] });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  finds(() => rowhouse, "shop");

  it("finds visible rows if only rows are hidden, also by expressions", async () => {
    const rows = await rowhouseFor({
      plugins: [definePlugin({ name: "rows", read_scope: () => ({ table: "people", where: "id < 3" }) })],
    });
    const uri = await server().createDatabase(POSTGRES);
    await rows.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    for (const [query, ids] of [
      ["_search=sun", "[1]"],
      ["_searchmode=raw&_search=emm:*", "[1, 2]"],
    ]) {
      const { status, text } = await rows.get(`/shop/people.json?_shape=arrayfirst&_sort=id&${query}`);
      expect([status, text]).to.deep.equal([200, ids]);
    }
  });
});
