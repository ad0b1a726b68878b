import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { definePlugin, html, type Plugin } from "rowhouse/plugin-api";
import { temporaryFolder } from "../../harness/folders.js";
import { rowhouseFor } from "../../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };

describe("arguments of the hooks of pages", () => {
  it("of a row: its values, too", async () => {
    const plugin = definePlugin({
      name: "rows",
      row_actions: (_rowhouse, { row, rowPath }) => ({
        href: `/like/${rowPath}`,
        label: `Like ${String(row["title"])}`,
      }),
      top_row: (_rowhouse, { row }) => html`<p>Row ${row["id"]}</p>`,
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const { text } = await rowhouse.get("/library/books/1");

    expect(text).to.include("Like Emma").and.include("<p>Row 1</p>");
  });

  it("of SQL contain the values of its parameters, and the name of a canned query", async () => {
    const plugin = definePlugin({
      name: "queries-of-spec",
      canned_queries: () => ({ named: "select :who as who" }),
      query_actions: (_rowhouse, { params, queryName }) => ({
        href: "/share",
        label: `Share ${String(queryName)} of ${params["who"] ?? "nobody"}`,
      }),
      top_query: (_rowhouse, { params }) => html`<p>Any ${params["who"]}</p>`,
      top_stored_query: (_rowhouse, { params, queryName }) => html`<p>${queryName} ${params["who"]}</p>`,
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const saved = await rowhouse.get("/library/named?who=Ann");
    const custom = await rowhouse.get("/library?sql=select+:who&who=Bob");

    expect(saved.text).to.include("Share named of Ann").and.include("<p>Any Ann</p>");
    expect(saved.text).to.include("<p>named Ann</p>");
    expect(custom.text).to.include("Share null of Bob").and.include("<p>Any Bob</p>");
    expect(custom.text).not.to.include("<p>null");
  });
});

describe("buttons of menus", () => {
  it("have attributes for scripts, also under the name attrs, and without them are plain buttons", async () => {
    const plugin = definePlugin({
      name: "buttons",
      table_actions: () => [
        { type: "button", label: "One", attributes: { "data-one": '1"', onclick: "alert(1)" } },
        { type: "button", label: "Two", description: "Second", attrs: { "data-two": "2" } },
        { type: "button", label: "Three" },
      ],
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const { text } = await rowhouse.get("/library/books");
    const buttons = [...text.matchAll(/<button type="button"[^>]*>(?:One|Two|Three)<\/button>/g)];

    expect(buttons.map(([button]) => button)).to.deep.equal([
      '<button type="button" data-one="1&quot;">One</button>',
      '<button type="button" data-two="2">Two</button>',
      '<button type="button">Three</button>',
    ]);
  });
});

describe("templates that a plugin brings", () => {
  it("find filters and values that plugins add for all of them, escaped as any other", async () => {
    const rowhouse = await withTemplate("<%= it.filters.loud(it.words) %>, <%= it.slogan %>", {
      prepare_template_environment: (_rowhouse, { environment }) => {
        environment.addFilter("loud", (words: string) => words.toUpperCase());
        environment.addGlobal("slogan", html`<b>Books</b>`);
      },
    });

    expect((await rowhouse.get("/-/loud")).text).to.equal("A &amp; B, <b>Books</b>");
  });

  it("are named with their plugin where they fail", async () => {
    const rowhouse = await withTemplate("<%= it.nothing.at.all %>");

    const { status } = await rowhouse.get("/-/loud");

    expect(status).to.equal(500);
    expect(rowhouse.logged.join("\n")).to.include("Plugin loud failed in the view loud: ");
    expect(rowhouse.logged.join("\n")).to.include("loud.html");
  });

  it("and static files are none where their folder is missing", async () => {
    const nowhere = new URL("file:///nowhere/at/all/");
    const plugin = definePlugin({ name: "empty", templates: nowhere, static: nowhere });
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    expect((await rowhouse.get("/library/books")).status).to.equal(200);
    expect((await rowhouse.get("/-/static-plugins/empty/app.js")).status).to.equal(404);
  });
});

const withTemplate = async (source: string, more: Partial<Plugin> = {}) => {
  const folder = temporaryFolder();
  await writeFile(join(folder, "loud.html"), source);
  const plugin = definePlugin({
    name: "loud",
    templates: pathToFileURL(`${folder}/`),
    register_routes: () => [
      {
        name: "loud",
        path: "/-/loud",
        target: "instance",
        view: ({ rowhouse, request, actor }) =>
          rowhouse.service("pages").render("loud.html", { words: "a & b" }, { request, actor }),
      },
    ],
    ...more,
  });
  return rowhouseFor({ tables, plugins: [plugin] });
};
