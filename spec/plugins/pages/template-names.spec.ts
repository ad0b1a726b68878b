import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Page, Plugin } from "rowhouse/plugin-api";
import { type TestRowhouse, rowhouseFor } from "rowhouse/testing";

const contents = {
  tables: { "odd name": [{ id: 1, kind: "a" }], books: [{ id: 1, kind: "a" }] },
  metadata: {
    databases: {
      library: {
        source: "A list",
        queries: { count: "select 1 as one" },
        tables: { books: { facets: ["kind"], source: "A list" }, "odd name": { allow: { id: "ann" } } },
      },
    },
  },
};

describe("the names of templates", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor(contents);
  });

  const candidates = [
    ["/", "*index.html"],
    ["/library", "database-library.html, *database.html"],
    ["/library?sql=select+1", "query-library.html, *query.html"],
    ["/library/count", "query-library-count.html, query-library.html, *query.html"],
    ["/library/books", "table-library-books.html, *table.html"],
    ["/library/odd+name", "table-library-odd-name-4ac47f.html, *table.html"],
    ["/library/books/1", "row-library-books.html, *row.html"],
    ["/nowhere", "404.html, *error.html"],
  ] as const;
  for (const [path, names] of candidates) {
    it(`considered for ${path} are ${names}`, async () => {
      const { text } = await rowhouse.get(path, { as: "ann" });

      expect(text).to.include(`<!-- Templates considered: ${names} -->`);
    });
  }

  it("considered for a refusal are 403.html and error.html", async () => {
    const { status, text } = await rowhouse.get("/library/odd+name");

    expect(status).to.equal(403);
    expect(text).to.include("<!-- Templates considered: 403.html, *error.html -->");
  });
});

describe("a person's own templates", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-templates-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const served = async (files: Readonly<Record<string, string>>): Promise<TestRowhouse> => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return rowhouseFor({ ...contents, options: { templateDir: folder } });
  };

  const rowTables = [
    ["/library/books", ["_table-library-books.html", "_table-table-library-books.html", "_table.html"]],
    ["/library/books/1", ["_table-library-books.html", "_table-row-library-books.html", "_table.html"]],
  ] as const;
  for (const [path, names] of rowTables) {
    it(`lay out the rows of ${path}, the first of ${names.join(", ")}`, async () => {
      const seen: string[] = [];
      for (const first of names.keys()) {
        const files = names.slice(first).map((name) => [name, `laid out by ${name}`]);
        const rowhouse = await served(Object.fromEntries(files));
        seen.push(/laid out by (\S+\.html)/.exec((await rowhouse.get(path)).text)?.[1] ?? "nobody");
        await rm(join(folder, names[first] ?? ""));
      }

      expect(seen).to.deep.equal(names);
    });
  }

  const PARTIALS = [
    "_crumbs",
    "_description_source_license",
    "_facet_results",
    "_footer",
    "_suggested_facets",
    "_table",
  ];
  it(`replace any of the partials ${PARTIALS.join(", ")}`, async () => {
    const rowhouse = await served(
      Object.fromEntries(PARTIALS.map((name) => [`${name}.html`, `(my ${name})`])),
    );

    const { text } = await rowhouse.get("/library/books");

    expect([...text.matchAll(/\(my (\w+)\)/g)].map(([, name]) => name)).to.have.members(PARTIALS);
  });

  it("may include the partials that our pages have no need of", async () => {
    const included = ["_close_open_menus", "_codemirror", "_codemirror_foot"];
    const rowhouse = await served({
      "index.html": `<p>before</p>${included.map((name) => `<%~ include("${name}.html") %>`).join("")}<p>after</p>`,
    });

    const { text } = await rowhouse.get("/");

    expect(text.replace(/<!--.*?-->|\s/gs, "")).to.equal("<p>before</p><p>after</p>");
  });

  const BLOCKS = [
    "title",
    "extra_head",
    "body_class",
    "nav",
    "crumbs",
    "messages",
    "description_source_license",
    "content",
    "footer",
  ];
  for (const page of ["index", "database", "query", "table", "row"]) {
    it(`extend ${page}.html by any block`, async () => {
      const blocks = BLOCKS.map(
        (name) => `<% block("${name}", (parent) => { %>(my ${name})<%~ parent() %><% }) %>`,
      );
      const rowhouse = await served({
        [`${page}.html`]: `<% layout("default:${page}.html") %>\n${blocks.join("\n")}`,
      });
      const paths = { index: "/", database: "/library", query: "/library/count", table: "/library/books" };

      const { text } = await rowhouse.get(new Map(Object.entries(paths)).get(page) ?? "/library/books/1");

      expect([...text.matchAll(/\(my (\w+)\)/g)].map(([, name]) => name)).to.have.members(BLOCKS);
    });
  }

  it("are missing for a page without a name, whose title is that of its JSON document", async () => {
    // As of a plugin in JavaScript.
    const nameless = { data: { ok: true } } as unknown as Page;
    const plugin: Plugin = {
      name: "status",
      register_routes: () => [
        { name: "status", path: "/-/status{.:format}", target: "instance", view: () => nameless },
      ],
    };
    const { text } = await (await rowhouseFor({ plugins: [plugin] })).get("/-/status");

    expect(text).to.include("<title>status.json</title>").and.include("considered: *json_data.html");
  });
});
