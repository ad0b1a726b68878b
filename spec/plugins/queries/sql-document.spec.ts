import { dirname } from "node:path";
import { expect } from "chai";
import { definePlugin, reply, type Renderer } from "rowhouse/plugin-api";
import { escapeSearch } from "rowhouse/plugin-api/sql";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const ask = (rowhouse: TestRowhouse, sql: string, more = "") =>
  rowhouse.get(`/library.json?sql=${encodeURIComponent(sql)}${more}`);

describe("GET /:database.json?sql=", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [1, 2, 3, 4].map((id) => ({ id, title: `Book ${id}` })) },
      settings: { max_returned_rows: 3 },
    });
  });

  it("answers with the published document", async () => {
    const { status, json } = await ask(rowhouse, "select :a as a, typeof(:a) as t, :b as b", "&a=5&extra=x");

    expect(status).to.equal(200);
    expect(Object.keys(json)).to.deep.equal([
      "ok",
      "database",
      "query_name",
      "rows",
      "truncated",
      "columns",
      "query",
      "error",
      "private",
      "allow_execute_sql",
      "query_ms",
    ]);
    expect(json.rows).to.deep.equal([["5", "text", ""]]);
    expect(json.query.params).to.deep.equal({ a: "5", extra: "x", b: "" });
  });

  it("cuts rows at max_returned_rows, and is marked as truncated only if there are more", async () => {
    const cut = await ask(rowhouse, "select id from books");
    const whole = await ask(rowhouse, "select id from books limit 3");

    expect(cut.json).to.deep.include({ rows: [[1], [2], [3]], truncated: true });
    expect(whole.json).to.deep.include({ rows: [[1], [2], [3]], truncated: false });
  });

  it("puts the engine's complaint into the document", async () => {
    const { status, json } = await ask(rowhouse, "select nosuch from books");

    expect(status).to.equal(400);
    expect(json).to.deep.include({ ok: false, rows: [], columns: [], error: "no such column: nosuch" });
  });

  it("is an error in the formats of plugins, unless they show the errors of pages", async () => {
    const wants = {
      rows: "cells",
      infinity: "null",
      parts: new Set<never>(),
      labels: false,
      stream: false,
    } as const;
    const titles: Renderer = {
      extension: "titles",
      wants: ({ query }) => ({ ...wants, ...(query.has("shown") && { failures: "sql" }) }),
      render: ({ data, rows }) =>
        reply.text(String(data["error"] ?? (rows?.cells ?? []).map(([title]) => String(title)).join("\n"))),
    };
    const plugins = [definePlugin({ name: "titles", register_output_renderer: () => titles })];
    const withPlugin = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins });
    const get = (sql: string) => withPlugin.get(`/library.titles?sql=${sql}`);

    expect((await get("select+title+from+books")).text).to.equal("Emma");
    const { status, text } = await get("select+nosuch+from+books");
    expect(status).to.equal(400);
    expect(text).to.include("no such column: nosuch").and.include("<!doctype html>");
    expect((await get("select+nosuch+from+books&shown=1")).text).to.equal("no such column: nosuch");
  });

  it("runs one statement only", async () => {
    const { status, json } = await ask(rowhouse, "select 1; select 2");

    expect(status).to.equal(400);
    expect(json.error).to.equal("You can only execute one statement at a time.");
  });

  it("needs a value for a parameter with a leading underscore", async () => {
    const { status, json } = await ask(rowhouse, "select :_x");

    expect(status).to.equal(400);
    expect(json.error).to.equal("You did not supply a value for binding parameter :_x.");
  });

  it("never resolves a magic parameter", async () => {
    const { status, json } = await ask(rowhouse, "select :_now_epoch");

    expect(status).to.equal(400);
    expect(json.error).to.include(":_now_epoch");
  });

  it("gives empty text to requested names without a value, after the others", async () => {
    const { json } = await ask(rowhouse, "select :a, :z", "&z=1");

    expect(Object.entries(json.query.params)).to.deep.equal([
      ["z", "1"],
      ["a", ""],
    ]);
  });

  it("binds typed values out of _params", async () => {
    const params = encodeURIComponent('{"n": 5, "none": null, "yes": true, "list": [1, 2]}');
    const { json } = await ask(
      rowhouse,
      "select typeof(:n) as n, :none is null as none, :yes as yes, :list as list",
      `&_params=${params}`,
    );

    expect(json.rows).to.deep.equal([["integer", 1, 1, "[1, 2]"]]);
  });

  it("keeps every digit of a typed integer, and the kind of a typed number", async () => {
    const params = encodeURIComponent('{"big": 9007199254740993, "real": 5.0}');
    const { text } = await ask(rowhouse, "select :big as big, typeof(:real) as kind", `&_params=${params}`);

    expect(text).to.include('"rows": [[9007199254740993, "real"]]');
  });

  it("binds a typed integer beyond 64 bits as a real", async () => {
    const params = encodeURIComponent('{"n": 18446744073709551616}');
    const { json } = await ask(rowhouse, "select typeof(:n) as kind", `&_params=${params}`);

    expect(json.rows).to.deep.equal([["real"]]);
  });

  it("binds the first of repeated arguments, bytes that are no text, and nothing of an empty _params", async () => {
    const { json } = await ask(rowhouse, "select :a, hex(:b)", "&a=1&a=2&b=%FF&_params=");

    expect(json.rows).to.deep.equal([["1", "FF"]]);
  });

  it("reveals no path of the file to clients", async () => {
    const folder = dirname(rowhouse.file());

    for (const from of ["pragma_database_list", "pragma_database_list()", '"pragma_database_list" p']) {
      const { json, text } = await ask(rowhouse, `select * from ${from}`);
      expect(json.rows, from).to.deep.equal([[0, "main", ""]]);
      expect(text, from).to.not.include(folder);
    }
    expect((await ask(rowhouse, "select * from main.pragma_database_list")).status).to.equal(400);
  });

  it("refuses _params that is no object", async () => {
    expect((await ask(rowhouse, "select 1", "&_params=[1]")).status).to.equal(400);
  });

  it("refuses text in _params that UTF-8 cannot encode", async () => {
    const params = encodeURIComponent('{"a": "x\\ud800"}');
    const { status, json } = await ask(rowhouse, "select :a as a", `&_params=${params}`);

    expect([status, json.error]).to.deep.equal([400, "The value of a has a surrogate without its pair"]);
  });

  it("escapes search text where the statement calls escape_fts", async () => {
    const { json } = await ask(rowhouse, "select escape_fts(:q)", "&q=one+%22two");

    expect(json.columns).to.deep.equal(["escape_fts(:q)"]);
    expect(json.rows).to.deep.equal([['"one" "two"']]);
    expect(json.query.params).to.deep.equal({ q: 'one "two' });
  });

  const SEARCHES = [
    "anvil",
    "steel  bolt",
    '"heavy steel" bolt',
    "*",
    'say "hi',
    'a"b c"d',
    "NOT x",
    '""',
    "",
    " \t\n\u00a0\u3000a",
    '" " é"😀',
    '"""',
  ];
  for (const text of SEARCHES) {
    it(`escapes ${JSON.stringify(text)} in any expression as it does in a parameter`, async () => {
      const sql =
        "select escape_fts(:q) as a, escape_fts(x || '' -- to the end\n) as b from (select :q as x)";

      const { json } = await ask(rowhouse, sql, `&q=${encodeURIComponent(text)}`);

      expect(json.rows).to.deep.equal([[escapeSearch(text), escapeSearch(text)]]);
    });
  }

  it("searches by what a column holds", async () => {
    const searched = await rowhouseFor({
      tables: { wishes: "words text" },
      sql: `create virtual table docs using fts5(body); insert into docs values ('two words'), ('more');
        insert into wishes values ('words'), ('"more');`,
    });

    const { json } = await ask(
      searched,
      "select words, (select body from docs where docs match escape_fts(trim(words))) from wishes",
    );

    expect(json.rows).to.deep.equal([
      ["words", "two words"],
      ['"more', "more"],
    ]);
  });

  it("lowers its time limit by _timelimit, which must be a whole number", async () => {
    const endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

    const late = await ask(rowhouse, endless, "&_timelimit=20");
    const wrong = await ask(rowhouse, "select 1", "&_timelimit=soon");

    expect(late.json).to.deep.include({ ok: false, status: 400, title: "SQL Interrupted" });
    expect(wrong.status).to.equal(400);
  });

  it("keeps the editor on the page of a refused statement", async () => {
    const { status, text } = await rowhouse.get("/library?sql=delete+from+books");

    expect(status).to.equal(400);
    expect(text).to.include("delete from books").and.to.include("Statement must be a SELECT");
  });

  it("keeps the editor, which completes names of tables, on the page of an interrupted statement", async () => {
    const endless = "with+recursive+n(i)+as+(select+1+union+all+select+i+from+n)+select+count(*)+from+n";

    const { status, text } = await rowhouse.get(`/library?sql=${endless}&_timelimit=20`);

    expect(status).to.equal(400);
    expect(text).to.include("SQL query took too long").and.to.include(endless.replaceAll("+", " "));
    expect(text).to.include('data-schema="{&quot;books&quot;:');
  });

  it("logs a statement that fails in one line", async () => {
    await ask(rowhouse, "select nosuch\n-- forged");

    const line = rowhouse.logged.find((one) => one.includes("forged"));
    expect(line).to.equal("error: sql = 'select nosuch\\n-- forged': no such column: nosuch");
  });
});

describe("Who may run SQL", () => {
  it("shows only what execute-sql allows", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { allow_sql: { id: "ann" } },
    });

    expect((await ask(rowhouse, "select 1")).status).to.equal(403);
    expect((await rowhouse.get("/library?sql=delete+from+books")).status).to.equal(403);
    expect((await rowhouse.get("/library.json?sql=select+1", { as: "ann" })).status).to.equal(200);
  });
});
