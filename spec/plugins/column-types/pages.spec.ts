import { expect } from "chai";
import { definePlugin, html } from "rowhouse/plugin-api";
import { quoteText } from "rowhouse/plugin-api/sql";
import { rowhouseFor } from "../../harness/index.js";
import { PEOPLE, cellOf, metadataOf, typedPeople } from "./people.js";

const insert = (column: string, value: string): string =>
  `insert into people (id, ${column}) values (1, ${quoteText(value)});`;

describe("A cell of a typed column", () => {
  const cases = [
    [
      "homepage",
      "https://example.org/a?b=1&c=2",
      '<a href="https://example.org/a?b=1&amp;c=2" rel="nofollow">https://example.org/a?b=1&amp;c=2</a>',
    ],
    [
      "homepage",
      "mailto:ann@example.org",
      '<a href="mailto:ann@example.org" rel="nofollow">mailto:ann@example.org</a>',
    ],
    ["homepage", "javascript:alert(1)", "javascript:alert(1)"],
    ["homepage", "JaVaScRiPt:alert(1)", "JaVaScRiPt:alert(1)"],
    ["homepage", "data:text/html,<script>1</script>", "data:text/html,&lt;script&gt;1&lt;/script&gt;"],
    ["homepage", "java\nscript:alert(1)", "java\nscript:alert(1)"],
    ["homepage", 'https://e.org/"><script>', "https://e.org/&quot;&gt;&lt;script&gt;"],
    ["email", "ann@example.org", '<a href="mailto:ann@example.org" rel="nofollow">ann@example.org</a>'],
    [
      "email",
      "a?subject=x&b@example.org",
      '<a href="mailto:a%3Fsubject%3Dx%26b@example.org" rel="nofollow">a?subject=x&amp;b@example.org</a>',
    ],
    ["email", "<b>ann</b>@example.org", "&lt;b&gt;ann&lt;/b&gt;@example.org"],
    ["email", "nobody", "nobody"],
    ["settings", "no { json", "no { json"],
    ["settings", "12", "12"],
    [
      "portrait",
      "https://example.org/ann.png",
      '<a href="https://example.org/ann.png" rel="nofollow"><img class="typed-image" src="https://example.org/ann.png" alt="portrait" loading="lazy" /></a>',
    ],
    [
      "portrait",
      "http://example.org/ann.png",
      '<a href="http://example.org/ann.png" rel="nofollow">http://example.org/ann.png</a>',
    ],
    ["portrait", "javascript:alert(1)", "javascript:alert(1)"],
    ["notes", "one line", "one line"],
    ["notes", "a\n  <b>b</b>", '<div class="typed-text">a\n  &lt;b&gt;b&lt;/b&gt;</div>'],
    ["born", "1815-12-10", "1815-12-10"],
    ["name", "ann@example.org", "ann@example.org"],
  ] as const;
  for (const [column, value, shown] of cases) {
    it(`${column} shows ${JSON.stringify(value)} on both pages`, async () => {
      const rowhouse = await typedPeople({ sql: insert(column, value) });

      expect(cellOf(await rowhouse.get("/library/people"), column)).to.include(shown);
      expect(cellOf(await rowhouse.get("/library/people/1"), column)).to.include(shown);
    });
  }

  it("of many pages is in a box that scrolls, so that the values after it are within reach", async () => {
    const text = "line\n".repeat(30_000);
    const rowhouse = await typedPeople({ sql: insert("notes", text) });

    expect(cellOf(await rowhouse.get("/library/people/1"), "notes")).to.equal(
      `<div class="typed-text long-text" tabindex="0">${text}</div>`,
    );
  });

  it("never becomes a link that runs something, whatever is stored", async () => {
    const values = [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "\u0001javascript:alert(1)",
      "vbscript:x",
      "//evil",
    ];
    for (const column of ["homepage", "email", "portrait"]) {
      const rowhouse = await typedPeople({
        sql: values.map((value) => `insert into people (${column}) values (${quoteText(value)});`).join("\n"),
      });

      const { text } = await rowhouse.get("/library/people");

      expect(text).to.not.match(/(?:href|src)="\s*(?:javascript|vbscript|\/\/evil)/i);
      expect(text).to.not.include(`href="\u0001`);
    }
  });

  it("shows NULL and the empty text as any column does", async () => {
    const rowhouse = await typedPeople({ sql: "insert into people (id, homepage) values (1, '')" });

    const reply = await rowhouse.get("/library/people");

    expect(cellOf(reply, "homepage")).to.equal("&nbsp;");
    expect(cellOf(reply, "email")).to.equal("&nbsp;");
  });

  it("is cut among other rows, never in the address itself", async () => {
    const address = `https://example.org/${"x".repeat(100)}`;
    const rowhouse = await typedPeople({
      sql: insert("homepage", address),
      settings: { truncate_cells_html: 20 },
    });

    expect(cellOf(await rowhouse.get("/library/people"), "homepage")).to.equal(
      `<a href="${address}" rel="nofollow">https://example.org/…</a>`,
    );
    expect(cellOf(await rowhouse.get("/library/people/1"), "homepage")).to.include(`>${address}</a>`);
  });

  it("keeps the link of a foreign key", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table towns (id text primary key, name text); insert into towns values ('a@b.cc', 'Bath');
        create table people (id integer primary key, email text references towns(id));
        insert into people values (1, 'a@b.cc');`,
      metadata: metadataOf({ email: "email" }),
    });

    expect(cellOf(await rowhouse.get("/library/people?_labels=1"), "email")).to.include("Bath</a>");
  });

  it("is rendered by a plugin, which receives the type", async () => {
    const seen: unknown[] = [];
    const plugin = definePlugin({
      name: "mine",
      render_cell: (_rowhouse, { column, columnType }) => {
        seen.push([column, columnType]);
        return column === "email" ? html`<i>mine</i>` : null;
      },
    });
    const rowhouse = await typedPeople({
      sql: "insert into people (id, email, homepage) values (1, 'a@b.cc', 'https://e.org/')",
      plugins: [plugin],
    });

    const reply = await rowhouse.get("/library/people");

    expect(cellOf(reply, "email")).to.equal("<i>mine</i>");
    expect(cellOf(reply, "homepage")).to.include('rel="nofollow"');
    expect(seen).to.deep.include(["settings", { type: "json", config: null }]);
    expect(seen).to.deep.include(["name", null]);
  });

  it("has the style sheet on pages of its table alone", async () => {
    const rowhouse = await typedPeople({ sql: "create table others (id integer)" });
    const sheet = "/-/static-plugins/column-types/app.css";

    expect((await rowhouse.get("/library/people")).text).to.include(sheet);
    expect((await rowhouse.get("/library/others")).text).to.not.include(sheet);
    expect((await rowhouse.get("/library")).text).to.not.include(sheet);
    expect((await rowhouse.get(sheet)).status).to.equal(200);
  });
});

const shownJson = async (value: string): Promise<string> => {
  const rowhouse = await typedPeople({ sql: insert("settings", value) });
  return (
    /<pre[^>]*>\n?(.*)<\/pre>/s.exec(cellOf(await rowhouse.get("/library/people/1"), "settings"))?.[1] ??
    "none"
  );
};

describe("A column of type json", () => {
  it("shows what is short in a line, all else with a member a line, numbers to the last digit", async () => {
    const shown = await shownJson(
      '{"big":12345678901234567890,"real":1.0,"e":1E5,"list":[1,[],{"a":-0.50}],"twice":1,"twice":2}',
    );

    expect(shown.replaceAll("&quot;", '"')).to.equal(
      '{\n  "big": 12345678901234567890,\n  "real": 1.0,\n  "e": 1E5,\n  "list": [1, [], {"a": -0.50}],\n' +
        '  "twice": 1,\n  "twice": 2\n}',
    );
  });

  it("leaves texts as they are, brackets, quotes and markup in them included", async () => {
    const shown = await shownJson('{"a": "x, \\"y\\": [{<b>&\\\\",\n\t"b\\u00e9" :null}');

    expect(shown).to.equal(
      "{&quot;a&quot;: &quot;x, \\&quot;y\\&quot;: [{&lt;b&gt;&amp;\\\\&quot;, &quot;b\\u00e9&quot;: null}",
    );
  });

  it("is readable on the page of its row with a megabyte in it, and cut among others", async () => {
    const value = JSON.stringify({ list: Array.from({ length: 100_000 }, (_, index) => index * 7) });
    const rowhouse = await typedPeople({ sql: insert("settings", value) });

    expect(cellOf(await rowhouse.get("/library/people/1"), "settings")).to.include("\n    699993\n");
    expect((await rowhouse.get("/library/people")).text).to.have.length.below(60_000);
  });

  it("shows one text of several megabytes on the page of its row", async () => {
    const rowhouse = await typedPeople({
      sql: `insert into people (id, settings) values (1, '["' || replace(hex(zeroblob(500000)), '0', 'a\\"') || '"]')`,
    });

    const { status, text } = await rowhouse.get("/library/people/1");

    expect(status).to.equal(200);
    expect(text).to.include('<pre class="typed-json"');
    expect(text.length).to.be.above(2_000_000);
  });

  it("shows very deeply nested JSON unchanged", async () => {
    const rowhouse = await typedPeople({ sql: insert("settings", "[".repeat(100_000)) });

    expect((await rowhouse.get("/library/people/1")).status).to.equal(200);
  });

  it("shows text with the character NUL in it", async () => {
    const rowhouse = await typedPeople({
      sql: "insert into people (id, settings, email) values (1, '{' || char(0), 'a' || char(0) || '@b.cc')",
    });

    const reply = await rowhouse.get("/library/people");

    expect(reply.status).to.equal(200);
    expect(cellOf(reply, "email")).to.not.include("<a");
  });
});

const steady = (text: string): string => text.replace(/"query_ms": [\d.e-]+/, "");

describe("Reading typed columns as data", () => {
  const sql = `insert into people values (1, 'Ann', ' A@EXAMPLE.org', 'javascript:1', '{"a":1.0}', 'x', 'a' || char(10),
    'yesterday', 5)`;
  const paths = [
    "/library/people.json",
    "/library/people.json?_shape=objects",
    "/library/people/1.json",
    "/library/people.csv",
  ];
  for (const path of paths) {
    it(`${path} is the same with and without types`, async () => {
      const typed = await typedPeople({ sql });
      const plain = await rowhouseFor({ sql: `${PEOPLE}\n${sql}` });

      expect(steady((await typed.get(path)).text)).to.equal(steady((await plain.get(path)).text));
    });
  }

  it("names the types where `_extra=column_types` asks for them", async () => {
    const rowhouse = await typedPeople();

    const { json } = await rowhouse.get("/library/people.json?_extra=column_types");

    expect(json.column_types).to.include.keys("email", "settings");
    expect(json.column_types.email).to.deep.equal({ type: "email", config: null });
  });
});

describe("Without the plugin column-types", () => {
  it("columns show and take what they show and take without types", async () => {
    const rowhouse = await typedPeople({
      without: ["column-types"],
      sql: insert("homepage", "mailto:a@b.cc"),
    });

    expect(cellOf(await rowhouse.get("/library/people"), "homepage")).to.equal("mailto:a@b.cc");
    const written = await rowhouse.post("/library/people/-/insert", {
      as: "root",
      json: { row: { email: "x" } },
    });
    expect(written.status).to.equal(201);
    expect((await rowhouse.get("/library/people.json?_extra=column_types")).json.column_types).to.deep.equal(
      {},
    );
    const set = await rowhouse.post("/library/people/-/set-column-type", { as: "root", json: {} });
    expect(set.status).to.equal(404);
  });
});
