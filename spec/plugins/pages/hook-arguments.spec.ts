import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { definePlugin, html, type Plugin } from "rowhouse/plugin-api";
import { temporaryFolder } from "../../harness/folders.js";
import { rowhouseFor, type Contents } from "../../harness/index.js";

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

  it("call functions of plugins that return promises, and get their results, each called once", async () => {
    const calls: string[] = [];
    const later = async <T>(value: T): Promise<T> => {
      calls.push(String(value));
      await setImmediate();
      return value;
    };
    const source = `<% layout("base.html") %><% block("content", () => { %>
      <% try { it.failing() } catch (error) { %><%= error.message %><% } %>
      <% for (const name of it.names("a", "b")) { %><i><%= it.greeting(name) %></i><% } %>
      <%= it.sum(1, 2) %> <%= it.loud("c") %><% }) %>`;
    const rowhouse = await withTemplate(source, {
      extra_template_vars: () => ({
        names: (...names: readonly string[]) => later(names),
        greeting: (name: string) => later(html`<b>${name}</b>`),
        failing: () => {
          throw new Error("not here");
        },
        sum: (one: number, two: number) => calls.push("sum") && one + two,
        loud: (words: string) => later(words.toUpperCase()),
      }),
    });

    const { text } = await rowhouse.get("/-/loud");

    expect(text).to.match(/not here\s+<i><b>a<\/b><\/i><i><b>b<\/b><\/i>\s+3 C/);
    expect(calls).to.deep.equal(["a,b", "<b>a</b>", "<b>b</b>", "sum", "C"]);
  });

  it("fail with the error of such a function, or when it takes too long, and the log names its plugin", async () => {
    const faults: Readonly<Record<string, () => Promise<never>>> = {
      "no such book": () => Promise.reject(new Error("no such book")),
      "no answer within 50 ms": () => new Promise(() => undefined),
    };
    for (const [message, find] of Object.entries(faults)) {
      const vars = { name: "vars", extra_template_vars: () => ({ find }) };
      const settings = { hook_time_limit_ms: 50 };
      const rowhouse = await withTemplate("<%= it.find() %>", {}, { plugins: [vars], settings });

      const { status } = await rowhouse.get("/-/loud");

      expect(status).to.equal(500);
      const line = `Plugin vars failed in the template function find: ${message}`;
      expect(rowhouse.logged.join("\n")).to.include(line);
    }
  });

  it("get variables of plugins instead of equally named ones of the page", async () => {
    const rowhouse = await withTemplate("<%= it.words %>", {
      extra_template_vars: () => ({ words: "of the plugin" }),
    });

    expect((await rowhouse.get("/-/loud")).text).to.equal("of the plugin");
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

const withTemplate = async (source: string, more: Partial<Plugin> = {}, options: Contents = {}) => {
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
  return rowhouseFor({ tables, ...options, plugins: [plugin, ...(options.plugins ?? [])] });
};
