import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { html, messageOf } from "rowhouse/plugin-api";
import { Templates } from "../../../plugins/pages/templates.js";

describe("templates", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "rowhouse-templates-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const write = async (files: Readonly<Record<string, string>>): Promise<Templates> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
    for (const folder of ["own", "plugin", "bundled"]) await mkdir(join(root, folder), { recursive: true });
    return new Templates({
      own: join(root, "own"),
      plugins: [pathToFileURL(join(root, "plugin/"))],
      bundled: pathToFileURL(join(root, "bundled/")),
      fresh: true,
    });
  };

  it("are looked for in the person's folder, then plugins', then the bundled one", async () => {
    const templates = await write({
      "own/a.html": "own a",
      "plugin/a.html": "plugin a",
      "plugin/b.html": "plugin b",
      "bundled/a.html": "bundled a",
      "bundled/b.html": "bundled b",
      "bundled/c.html": "bundled c",
    });

    const found = ["a.html", "b.html", "c.html"].map((name) => templates.render(name, {}));

    expect(found).to.deep.equal(["own a", "plugin b", "bundled c"]);
  });

  it("are chosen by the first name that exists", async () => {
    const templates = await write({ "bundled/table.html": "" });

    expect(templates.choose(["table-shop-products.html", "table.html"])).to.equal("table.html");
    expect(templates.choose(["nothing.html"])).to.equal(null);
  });

  it("extend the bundled one of the same name, block by block, over more than one level", async () => {
    const templates = await write({
      "bundled/base.html": `<title><% block("title", () => { %>base<% }) %></title><% block("content", () => { %><% }) %>`,
      "bundled/row.html": `<% layout("base.html") %>ignored<% block("title", () => { %>row<% }) %><% block("content", () => { %>[<% block("inner", () => { %>rows<% }) %>]<% }) %>`,
      "own/row.html": `<% layout("default:row.html") %><% block("inner", (parent) => { %>my <%~ parent() %><% }) %>`,
    });

    expect(templates.render("row.html", {})).to.equal("<title>row</title>[my rows]");
    expect(templates.render("default:row.html", {})).to.equal("<title>row</title>[rows]");
  });

  it("escape what they print, whatever it is, and take finished markup as it is", async () => {
    const templates = await write({
      "bundled/a.html": `<p title="<%= it.text %>"><%= it.text %><%= it.markup %><%= it.none %></p>`,
    });

    const page = templates.render("a.html", {
      text: `"'><script>alert(1)</script>`,
      markup: html`<b>${"&"}</b>`,
      none: null,
    });

    const inert = "&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;";
    expect(page).to.equal(`<p title="${inert}">${inert}<b>&amp;</b></p>`);
  });

  it("never lead out of their folders", async () => {
    const templates = await write({ "secret.html": "secret" });

    for (const name of [
      "../secret.html",
      "default:../secret.html",
      join(root, "secret.html"),
      "",
      ".",
      "a\0b",
    ]) {
      expect(templates.choose([name]), JSON.stringify(name)).to.equal(null);
    }
  });

  it("name the line of their mistakes", async () => {
    const templates = await write({ "own/a.html": "one\ntwo\n<%= it.nothing.there %>" });

    expect(() => templates.render("a.html", {})).to.throw(/a\.html:3/);
  });

  it("name the file that cannot be compiled, without its compiled code", async () => {
    const mistakes = {
      "b.html": ["<%= it.f( %>", "Bad template syntax: missing ) after argument list"],
      "c.html": ["one\n<%= it.x", "unclosed tag at line 2 col 1: <%= it.x"],
      "d.html": [
        `\n{% extends "default:base.html" %}`,
        " is written in Jinja. Write it in Eta: docs/porting-from-datasette.md",
      ],
    } as const;
    for (const [name, [text, mistake]] of Object.entries(mistakes)) {
      const templates = await write({ "own/a.html": `<%~ include("${name}") %>`, [`own/${name}`]: text });

      const lines = messageOfRendering(templates).split("\n");

      expect(lines.at(-1))
        .to.match(new RegExp(`own.${name}`))
        .and.to.include(mistake);
      expect(lines.length).to.be.lessThan(6);
    }
  });
});

function messageOfRendering(templates: Templates): string {
  try {
    return templates.render("a.html", {});
  } catch (error) {
    return messageOf(error);
  }
}
