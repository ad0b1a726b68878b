import { expect } from "chai";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { definePlugin } from "rowhouse/plugin-api";
import { type TestRowhouse, rowhouseFor } from "rowhouse/testing";
import { search } from "../../../plugins/jump/search.js";

const tables = { books: [{ id: 1 }], diaries: [{ id: 1 }] };
const metadata = {
  databases: {
    library: {
      tables: { diaries: { allow: { id: "ann" } }, books: { title: "All our books" } },
      queries: {
        oldest: { sql: "select 1", title: "The oldest" },
        secret: { sql: "select 1", allow: { id: "ann" } },
      },
    },
  },
};

describe("/-/jump", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables, views: { recent: "select * from books" }, metadata });
  });
  const labels = async (query: string, as?: string): Promise<readonly string[]> => {
    const { json } = await rowhouse.get(`/-/jump.json?q=${query}`, as === undefined ? {} : { as });
    return (json.matches as JumpItem[]).map(({ kind, label }) => `${kind} ${label}`);
  };

  it("finds databases, tables, views and queries", async () => {
    expect(await labels("")).to.deep.equal([
      "database library",
      "query oldest",
      "table books",
      "view recent",
    ]);
    expect(await labels("rec")).to.deep.equal(["view recent"]);
  });

  it("finds by title and by database as well", async () => {
    expect(await labels("all+our")).to.deep.equal(["table books"]);
    expect(await labels("library/books")).to.deep.equal(["table books"]);
  });

  it("names nothing that is hidden from the visitor", async () => {
    expect(await labels("diaries")).to.deep.equal([]);
    expect(await labels("secret")).to.deep.equal([]);
    expect(await labels("diaries", "ann")).to.deep.equal(["table diaries"]);
    expect(await labels("secret", "ann")).to.deep.equal(["query secret"]);
  });

  it("finds the fields for SQL that the actor may use", async () => {
    const closed = await rowhouseFor({ tables, metadata: { allow_sql: { id: "ann" } } });
    const found = async (as?: string): Promise<readonly JumpItem[]> =>
      (await closed.get("/-/jump.json?q=SQL+library", as === undefined ? {} : { as })).json.matches;

    expect(await found("ann")).to.deep.equal([
      { kind: "command", label: "Custom SQL query", detail: "library", href: "/library#sql-editor" },
    ]);
    expect(await found()).to.deep.equal([]);
    expect(await labels("SQL+_internal", "root")).to.deep.equal([]);
  });

  it("finds pages, settings and actions of the actor, and none of others", async () => {
    expect(await labels("sql_time", "root")).to.deep.equal(["setting sql_time_limit_ms"]);
    expect(await labels("version", "root")).to.deep.equal(["page Version info"]);
    expect(await labels("import+books", "root")).to.include("command Import a file");
    for (const query of ["sql_time", "version", "import+books", "token"])
      expect(await labels(query)).to.deep.equal([]);
    expect(await labels("import+books", "ann")).to.deep.equal([]);
  });

  it("finds actions without a name: those of databases, and of the table of the page", async () => {
    expect(await labels("create+table", "root")).to.deep.equal(["command Create a table"]);
    expect(await labels("row", "root")).to.not.include("command Add a row");
    for (const at of ["/library/books", "/library/books/1"]) {
      expect(await labels(`row&at=${at}`, "root")).to.include("command Add a row");
      expect(await labels(`add+row&at=${at}`)).to.deep.equal([]);
    }
    expect(await labels("row&at=/library/book", "root")).to.not.include("command Add a row");
    expect(await labels("create+table")).to.deep.equal([]);
  });

  it("finds actions that add something by the word new, in the language of the page", async () => {
    const german = await rowhouse.get("/-/jump.json?q=neue+tabelle", {
      as: "root",
      headers: { "accept-language": "de" },
    });

    expect(german.json.matches[0]).to.include({ kind: "command", href: "/library/-/new-table" });
    expect((await labels("new+table", "root"))[0]).to.equal("command Create a table");
    expect(await labels("new+row&at=/library/books", "root")).to.include("command Add a row");
    expect(await labels("new+structure&at=/library/books", "root")).to.deep.equal([]);
    expect(await labels("new+table")).to.deep.equal([]);
  });

  it("finds rows by their labels, under the permissions and row rules of the actor", async () => {
    const scope = definePlugin({
      name: "own-rows",
      read_scope: (_rowhouse, { actor }) => ({
        table: "notes",
        where: "owner = :me",
        params: { me: String(actor?.id ?? "") },
      }),
    });
    const notes = [
      { id: 1, title: "Sea of Ann", owner: "ann" },
      { id: 2, title: "Sea of Ben", owner: "ben" },
    ];
    const secrets = [{ id: 1, title: "Sea of nobody" }];
    const library = await rowhouseFor({
      tables: { notes, secrets },
      metadata: { databases: { library: { tables: { secrets: { allow: false } } } } },
      plugins: [scope],
    });

    const { json } = await library.get("/-/jump.json?q=sea+of", { as: "ann" });

    expect(json.matches).to.deep.equal([
      { kind: "row", label: "Sea of Ann", detail: "library/notes", href: "/library/notes/1" },
    ]);
    expect((await library.get("/-/jump.json?q=sea+of")).json.matches).to.deep.equal([]);
    expect((await library.get("/-/jump.json?q=se", { as: "ann" })).text).to.not.include('"row"');
  });

  it("cuts long labels of rows between characters", async () => {
    const title = `sea ${"x".repeat(75)}😀 and more`;
    const library = await rowhouseFor({ tables: { notes: [{ id: 1, title }] } });

    const { json } = await library.get("/-/jump.json?q=sea");

    expect(json.matches.map(({ label }: JumpItem) => label)).to.deep.equal([`sea ${"x".repeat(75)}😀…`]);
  });

  it("finds actions of tables, whose addresses do not contain the query", async () => {
    const { json } = await rowhouse.get("/-/jump.json?q=group+books");

    expect(json.matches).to.deep.include({
      kind: "command",
      label: "Group and count",
      detail: "library/books",
      href: "/library/books?_group=",
    });
  });

  it("reads ten words of a text", async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `o${index}`).join("+");

    const { json } = await rowhouse.get(`/-/jump.json?q=${"b+bo+boo+book+oo+ok+o+k+ook+books+".repeat(20)}`);
    const long = await rowhouse.get(`/-/jump.json?q=${words.slice(0, 50_000)}`);

    expect(json.matches.map(({ label }: JumpItem) => label)).to.include("books");
    expect(long.json.matches).to.deep.equal([]);
  });

  it("is a page with links without scripts", async () => {
    const { text } = await rowhouse.get("/-/jump?q=book");

    expect(text).to.include('<a href="/library/books" dir="auto">books</a>');
    expect(text).not.to.include("recent");
  });

  it("shows advice if nothing is found", async () => {
    expect((await rowhouse.get("/-/jump?q=%3Cb%3E")).text).to.include("Nothing is called that.");
  });

  it("is in the header of every page", async () => {
    expect((await rowhouse.get("/library")).text).to.include('data-jump="/-/jump.json"');
  });

  it("is closed, and not offered, to those who may not see the instance", async () => {
    const closed = await rowhouseFor({ tables, metadata: { allow: { id: "ann" } } });

    const refusal = await closed.get("/-/jump");

    expect(refusal.status).to.equal(403);
    expect(refusal.text).not.to.include("data-jump");
    expect((await closed.get("/-/jump.json")).status).to.equal(403);
  });

  it("takes places from plugins", async () => {
    const plugin = definePlugin({
      name: "atlas",
      jump_items: () => ({ kind: "map", label: "The world", detail: null, href: "/-/map" }),
    });
    const extended = await rowhouseFor({ tables, plugins: [plugin] });

    const { json } = await extended.get("/-/jump.json?q=world");

    expect(json.matches).to.deep.equal([{ kind: "map", label: "The world", detail: null, href: "/-/map" }]);
  });

  it("shows only the first of many, and a note", async () => {
    const sql = Array.from({ length: 80 }, (_, index) => `create table t${index} (id);`).join("");
    const { json } = await (await rowhouseFor({ sql })).get("/-/jump.json?q=t");

    expect(json.matches).to.have.length(60);
    expect(json.truncated).to.equal(true);
  });
});

describe("searching places", () => {
  const cases = [
    [
      "the same name first, then what begins with it",
      "book",
      ["all_book", "books", "book"],
      ["book", "books", "all_book"],
    ],
    ["every word must be there", "a c", ["ab", "a_c", "c"], ["a_c"]],
    ["initials of the words of a name", "cy", ["country_years", "years"], ["country_years"]],
    ["letters in the case one likes", "BoOk", ["books"], ["books"]],
  ] as const;
  for (const [rule, query, names, expected] of cases) {
    it(rule, async () => {
      const found = await search(
        names.map((name) => place(name)),
        query,
        {},
      );

      expect(found.map(({ label }) => label)).to.deep.equal(expected);
    });
  }

  it("a match in the name counts more than one in the details", async () => {
    const items = [place("years", "books"), place("books", "years")];

    expect((await search(items, "books", {})).map(({ label }) => label)).to.deep.equal(["books", "years"]);
  });
});

const place = (label: string, detail: string | null = null): JumpItem => ({
  kind: "table",
  label,
  detail,
  href: "#",
});
