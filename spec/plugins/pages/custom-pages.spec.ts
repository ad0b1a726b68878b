import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { type TestRowhouse, rowhouseFor } from "rowhouse/testing";

const FILES = {
  "pages/about.html": "About us",
  "pages/about/{slug}.html": "About <%= it.slug %>",
  "pages/about/team.html": "The team",
  "pages/deep/{one}/{two}.html": "<%= it.one %> and <%= it.two %>",
  "pages/robots.txt.html": `<% it.custom_header("Content-Type", "text/plain") %>User-agent: *`,
  "pages/moved.html": `<% it.custom_redirect("/about", 301) %>`,
  "pages/teapot.html": `<% it.custom_status(418) %>short and stout`,
  "pages/gone.html": `<% it.raise_404("Nothing of that kind") %>`,
  "pages/library.html": "never seen",
  "pages/broken.html": "<%= it.missing.name %>",
  "pages/unclosed.html": "<% if (true) { %>",
  "table-library-books.html": `<% layout("default:table.html") %><% block("content", (parent) => { %>Welcome!<%~ parent() %><% }) %>`,
  "_table-library-authors.html": `<% for (const row of it.display_rows) { %><p><%= row.values.name %>: <%= row.display("name") %></p><% } %>`,
};

describe("a template folder", () => {
  let folder: string;
  let rowhouse: TestRowhouse;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-pages-"));
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    rowhouse = await rowhouseFor({
      sql: `create table books (id integer primary key, title text);
            create table authors (id integer primary key, name text);
            insert into authors values (1, '<Jane>');`,
      options: { templateDir: folder },
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const pages: readonly (readonly [path: string, status: number, text: string])[] = [
    ["/about", 200, "About us"],
    ["/about/team", 200, "The team"],
    ["/about/a+b~3C", 200, "About a b&lt;"],
    ["/deep/x/y", 200, "x and y"],
    ["/teapot", 418, "short and stout"],
  ];
  for (const [path, status, text] of pages) {
    it(`has a page of its own at ${path}`, async () => {
      const reply = await rowhouse.get(path);

      expect(reply.status).to.equal(status);
      expect(reply.text).to.equal(text);
    });
  }

  it("can redirect, set headers and find nothing after all", async () => {
    const moved = await rowhouse.get("/moved");
    expect([moved.status, moved.headers.location]).to.deep.equal([301, "/about"]);
    expect((await rowhouse.get("/robots.txt")).headers["content-type"]).to.equal("text/plain");
    const gone = await rowhouse.get("/gone");
    expect(gone.status).to.equal(404);
    expect(gone.text).to.include("Nothing of that kind");
  });

  for (const path of ["/broken", "/unclosed"]) {
    it(`replies with 500 and logs the error if the template of a page fails: ${path}`, async () => {
      const { status, text } = await rowhouse.get(path);
      const [, id = "none"] = /Error id: (\w+)/.exec(text) ?? [];

      expect(status).to.equal(500);
      expect(text).to.not.include("not found");
      expect(rowhouse.logged.join("\n")).to.include(`GET ${path} (error id ${id})`);
    });
  }

  it("never hides what is there", async () => {
    expect((await rowhouse.get("/library")).text).to.not.include("never seen");
  });

  for (const path of [
    "/deep/..~2F..~2Fpages/about",
    "/about/..~2F..~2Fx",
    "/..~2Fpages~2Fabout",
    "/about~00",
  ]) {
    it(`does not lead out of itself: ${path}`, async () => {
      expect((await rowhouse.get(path)).text).to.not.include("About us");
    });
  }

  it("extends a bundled page", async () => {
    const { text } = await rowhouse.get("/library/books");

    expect(text).to.include("Welcome!").and.include("0 records");
    expect(text).to.include("<!-- Templates considered: *table-library-books.html, table.html -->");
  });

  it("lays out rows its own way, escaped as ever", async () => {
    expect((await rowhouse.get("/library/authors")).text).to.include("<p>&lt;Jane&gt;: &lt;Jane&gt;</p>");
  });
});
