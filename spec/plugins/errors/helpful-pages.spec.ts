import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const doors = definePlugin({
  name: "doors",
  menu_links: (_rowhouse, { request }) => [
    { href: "/-/help", label: "Help" },
    { href: `/-/enter?next=${request.path}`, label: "Sign in", signsIn: true },
  ],
});

/** The content of a page, the same whether a name is that of something hidden or of nothing. */
const bodyOf = (page: string): string =>
  (/<main.*<\/main>/s.exec(page)?.[0] ?? "").replace(/hidden|vault/g, "absent");

const linksOf = (page: string): string[] =>
  [...(/class="other-pages".*?<\/nav>/s.exec(page)?.[0] ?? "").matchAll(/href="([^"]*)"/g)].map(
    ([, href = ""]) => href,
  );

const manyFilters = (count: number): string => {
  const filters = Array.from({ length: count - 1 }, (_, at) => `title__not=${"x".repeat(20)}${at}`);
  return `/library/books?_sort=nope&${filters.join("&")}`;
};

describe("the page of an error", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }], hidden: [{ id: 1 }] },
      databases: { vault: "create table gold (id integer primary key)" },
      plugins: [doors],
      metadata: {
        databases: {
          library: { allow_sql: { id: "ann" }, tables: { hidden: { allow: { id: "ann" } } } },
          vault: { allow: { id: "ann" } },
        },
      },
      settings: { conceal_missing: true },
    });
  });

  it("names the permission and the resource, and offers to sign in", async () => {
    const { status, text } = await rowhouse.get("/library/hidden");

    expect(status).to.equal(403);
    expect(text)
      .to.include("<code>view-table</code>")
      .and.to.include('<code dir="auto">library/hidden</code>');
    expect(text).to.include("You are not signed in.");
    expect(linksOf(text)).to.deep.equal(["/-/enter?next=/library/hidden", "/library", "/"]);
    expect(text).not.to.match(/kept-request|returns to the form/);
  });

  it("leads to the start page only actors who may view it", async () => {
    const closed = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { allow: { id: "ann" }, databases: { library: { allow: true } } },
    });
    const found = async (as: string) => linksOf((await closed.get("/library/books/7", { as })).text);

    expect(await found("ann")).to.deep.equal(["/library/books", "/library", "/"]);
    expect(await found("bob")).to.deep.equal(["/library/books", "/library"]);
  });

  it("of an action of a database leads to the database", async () => {
    const { text } = await rowhouse.get("/library/-/import", { as: "bob" });

    expect(text).to.include("<code>create-table</code>").and.to.include('<code dir="auto">library</code>');
    expect(linksOf(text)).to.deep.equal(["/library", "/"]);
  });

  it("says who is signed in", async () => {
    const { text } = await rowhouse.get("/library/hidden", { as: "bob" });

    expect(text).to.include('signed in as <strong dir="auto">bob</strong>');
    expect(linksOf(text)).to.deep.equal(["/library", "/"]);
  });

  for (const path of ["/-/nothing", "/library/-/nothing", "/library/books/-/nothing", "/a/b/c/d"]) {
    it(`says that there is no such page, in the language of the reader: ${path}`, async () => {
      const open = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

      const { status, text } = await open.get(path);
      const german = await open.get(path, { headers: { "accept-language": "de" } });

      expect(status).to.equal(404);
      expect(text).to.include(`role="alert">There is no page with the address ${path}.</p>`);
      expect(german.text).to.include(`role="alert">Es gibt keine Seite mit der Adresse ${path}.</p>`);
    });
  }

  for (const [hidden, missing] of [
    ["/library/hidden", "/library/absent"],
    ["/library/hidden/1", "/library/absent/1"],
    ["/library/hidden?a=1", "/library/absent?a=1"],
    ["/library/hidden/-/new-row", "/library/absent/-/new-row"],
    ["/library/hidden/1/-/edit", "/library/absent/1/-/edit"],
    ["/vault", "/absent"],
    ["/vault/-/new-table", "/absent/-/new-table"],
    ["/vault/gold", "/absent/gold"],
  ] as const) {
    it(`tells nothing more of ${hidden} than of ${missing}`, async () => {
      const one = await rowhouse.get(hidden, { as: "bob" });
      const other = await rowhouse.get(missing, { as: "bob" });

      expect(one.status).to.equal(other.status);
      expect(bodyOf(one.text)).to.equal(bodyOf(other.text));
    });
  }

  it("does not blame the actor where no actor may write", async () => {
    const still = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      immutable: ["library"],
      metadata: { databases: { library: { permissions: { "create-table": true } } } },
    });

    const { status, text } = await still.get("/library/-/import", { headers: { accept: "text/html" } });

    expect(status).to.equal(403);
    expect(text).to.include("Database is immutable").and.not.include("You are not signed in");
  });

  it("keeps the statement and its parameters", async () => {
    const { status, text } = await rowhouse.get("/library?sql=select+:a+as+%22%3Cb%3E%22&a=5%22", {
      as: "bob",
    });

    expect(status).to.equal(403);
    expect(text).to.include("<code>execute-sql</code>").and.to.include('<code dir="auto">library</code>');
    expect(text).to.match(/<textarea[^>]* name="sql"[^>]*>select :a as "&lt;b&gt;"|&quot;&lt;b&gt;&quot;/);
    expect(text).to.match(/name="a" value="5(&quot;|&#34;)"/);
    expect(linksOf(text)).to.deep.equal(["/library", "/"]);
    expect(text).to.include('action="/library"').and.to.include("sql-editor/app.js");
    expect(text).not.to.match(/name="sql" value|Remove all/);
  });

  it("keeps the filters, each with a link that removes it", async () => {
    const { status, text } = await rowhouse.get("/library/books?title=Emma&_sort=nope", { as: "bob" });

    expect(status).to.equal(400);
    expect(text).to.include('name="title" value="Emma"').and.to.include('href="/library/books?title=Emma"');
    expect(text).to.include('name="_sort" value="nope"');
    expect(text).to.include('href="/library/books?_sort=nope"').and.to.include('href="/library/books"');
  });

  it("keeps no position and no bytes, which a form cannot send", async () => {
    const { status, text } = await rowhouse.get("/library/books?_next=x,y,z&_sort=nope&title=%FF", {
      as: "bob",
    });

    expect(status).to.equal(400);
    expect(text)
      .to.include('name="_sort" value="nope"')
      .and.not.match(/name="(_next|title)"/);
  });

  it("keeps at most 300 arguments, and as many links as fit into a page", async () => {
    const most = await rowhouse.get(manyFilters(300), { as: "bob" });

    const more = await rowhouse.get(manyFilters(301), { as: "bob" });
    expect(most.text.split('class="kept-field"')).to.have.length(301);
    expect(most.text.length).to.be.below(500_000);
    expect(more.text).not.to.include("kept-request");
  });

  it("of a missing row leads to its table", async () => {
    const { status, text } = await rowhouse.get("/library/books/7", { as: "bob" });

    expect(status).to.equal(404);
    expect(linksOf(text)).to.deep.equal(["/library/books", "/library", "/"]);
  });

  it("of a page that needs a permission on a table leads to the table", async () => {
    const { status, text } = await rowhouse.get("/library/books/-/new-row", { as: "bob" });

    expect(status).to.equal(403);
    expect(text)
      .to.include("<code>insert-row</code>")
      .and.to.include('<code dir="auto">library/books</code>');
    expect(linksOf(text)).to.deep.equal(["/library/books", "/library", "/"]);
  });

  it("is the reply to a form that a browser sends, for example after the session has ended", async () => {
    const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const refused = await rowhouse.post("/library/books/1/-/edit", { form: { title: "Emma 2" }, headers });
    const program = await rowhouse.post("/library/books/1/-/update", { json: {}, headers });
    const another = await rowhouse.post("/library/books/1/-/edit?title=x", { form: {}, headers, as: "bob" });

    expect(refused.status).to.equal(403);
    expect(refused.text).to.include("<code>update-row</code>").and.to.include("returns to the form");
    // Before that, the form is refused, too.
    expect(refused.text).to.include("sign in in another tab first");
    const signedIn = await rowhouse.post("/library/books/1/-/edit", { form: {}, headers, as: "bob" });
    expect(signedIn.text).to.include("returns to the form").and.to.not.include("another tab");
    expect(linksOf(refused.text)).to.deep.equal([
      "/-/enter?next=/library/books/1/-/edit",
      "/library/books",
      "/library",
      "/",
    ]);
    expect([program.status, program.json.ok]).to.deep.equal([403, false]);
    expect(program.json.errors).to.have.length(1);
    expect([another.status, another.text.includes("kept-request")]).to.deep.equal([403, false]);
  });
});

describe("a time-out", () => {
  it("of a table keeps the filters", async () => {
    const rowhouse = await rowhouseFor({
      views: {
        slow: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1e9) select i as a from n where i < 0",
      },
      settings: { sql_time_limit_ms: 100, facet_suggest_time_limit_ms: 100 },
    });

    const { status, text } = await rowhouse.get("/library/slow?a__gt=5");

    expect(status).to.equal(400);
    expect(text).to.include("SQL Interrupted").and.to.include('name="a__gt" value="5"');
  });
});
