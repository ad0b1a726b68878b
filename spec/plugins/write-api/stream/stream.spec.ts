import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";
import { until } from "../../../harness/until.js";

const BOOKS = "id integer primary key, title text not null, price real, tag";

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books: BOOKS }, ...contents });

interface Sending {
  readonly type?: string;
  readonly as?: string;
  readonly path?: string;
}

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

async function tokenOf(rowhouse: TestRowhouse, id: string): Promise<string> {
  return rowhouse.rowhouse.service("tokens").createToken(id);
}

async function send(
  rowhouse: TestRowhouse,
  body: string | Uint8Array,
  { type = NDJSON, as = "root", path = "insert" }: Sending = {},
): Promise<TestReply> {
  const headers = { "content-type": type };
  return rowhouse.post(`/library/books/-/${path}`, { token: await tokenOf(rowhouse, as), body, headers });
}

/** Of the events, those that are not about the token of the request. */
const eventNames = (rowhouse: TestRowhouse): readonly string[] =>
  rowhouse.events.map(({ name }) => name).filter((name) => name !== "create-token");

/** Open spools of this process. Their files have no name, so they are found by their descriptors. */
const spools = async (): Promise<readonly string[]> => {
  const descriptors = (await readdir("/proc/self/fd")).map((name) => `/proc/self/fd/${name}`);
  const targets = await Promise.all(descriptors.map((path) => readlink(path).catch(() => "")));
  return targets.filter((path) => path.startsWith(join(tmpdir(), "rowhouse-spool-")));
};

describe("a body of newline-delimited JSON", () => {
  it("inserts a row for each line, exactly, and returns their number", async () => {
    const rowhouse = await library();

    const reply = await send(
      rowhouse,
      '{"id": 1, "title": "Emma", "price": 9.5, "tag": 9007199254740993}\r\n\n' +
        '{"title": "Persuasion", "tag": {"$base64": true, "encoded": "AP8="}}\n{"title": "é\\u0000\u2028x", "tag": 1.0}',
    );

    expect([reply.status, reply.json]).to.deep.equal([201, { ok: true, row_count: 3 }]);
    expect(
      await rowhouse.query("select id, hex(title) as title, price, quote(tag) as tag from books"),
    ).to.deep.equal([
      { id: 1, title: "456D6D61", price: 9.5, tag: "9007199254740993" },
      { id: 2, title: "50657273756173696F6E", price: null, tag: "X'00FF'" },
      { id: 3, title: "C3A900E280A878", price: null, tag: "1.0" },
    ]);
  });

  it("takes more rows and bytes than a body held in memory may have", async () => {
    const rowhouse = await library({ settings: { max_insert_rows: 2, max_post_body_bytes: 100 } });
    const body = Array.from({ length: 1234 }, (_, index) => `{"title": "t${index}"}`).join("\n");

    const reply = await send(rowhouse, body);

    expect(reply.json).to.deep.equal({ ok: true, row_count: 1234 });
    expect(await rowhouse.query("select count(*) as n from books")).to.deep.equal([{ n: 1234 }]);
  });

  it("may be upserted, ignored or replaced", async () => {
    const rowhouse = await library({ tables: { books: [{ id: 1, title: "Emma", price: 9.5 }] } });

    const upserted = await send(rowhouse, '{"id": 1, "price": 7.0}\n{"id": 2, "title": "new"}', {
      path: "insert?upsert=1",
    });
    expect([upserted.status, upserted.json]).to.deep.equal([200, { ok: true, row_count: 2 }]);
    const ignored = await send(rowhouse, '{"id": 1, "title": "x"}\n{"id": 3, "title": "y"}', {
      path: "insert?ignore",
    });
    expect([ignored.status, ignored.json]).to.deep.equal([201, { ok: true, row_count: 1 }]);
    await send(rowhouse, '{"id": 2, "price": 1.5}', { path: "upsert" });
    await send(rowhouse, '{"id": 3, "price": 2.5}', { path: "insert?replace=on" });
    expect(await rowhouse.rows("books")).to.deep.equal([
      { id: 1, title: "Emma", price: 7 },
      { id: 2, title: "new", price: 1.5 },
      { id: 3, title: null, price: 2.5 },
    ]);
    expect(eventNames(rowhouse)).to.deep.equal(["upsert-rows", "insert-rows", "upsert-rows", "insert-rows"]);
  });

  it("brings columns with it where it may alter the table", async () => {
    const rowhouse = await library();

    const reply = await send(
      rowhouse,
      '{"title": "a", "year": 1815}\n{"title": "b", "score": 1.5, "year": null}',
      {
        path: "insert?alter=1",
      },
    );

    expect(reply.json).to.deep.equal({ ok: true, row_count: 2 });
    expect(
      await rowhouse.query("select name, type from pragma_table_info('books') where cid > 3"),
    ).to.deep.equal([
      { name: "year", type: "INTEGER" },
      { name: "score", type: "FLOAT" },
    ]);
    expect(eventNames(rowhouse)).to.deep.equal(["alter-table", "insert-rows"]);
  });

  it("is refused as a whole, with what is wrong with each row", async () => {
    const rowhouse = await library();
    const before = await spools();

    const reply = await send(
      rowhouse,
      ['{"title": "good"}', "", '{"titel": "a", "x": 1}', "[1]", '{"title": }', '{"title": "\\ud800"}'].join(
        "\n",
      ),
    );

    expect([reply.status, reply.json]).to.deep.equal([
      400,
      {
        ok: false,
        errors: [
          "Row 1 (line 3) has invalid columns: titel, x",
          "Row 2 (line 4): must be a dictionary",
          "Row 3 (line 5): Invalid JSON: Expecting value: column 11",
          "Row 4 (line 6): 'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed",
        ],
      },
    ]);
    expect(await rowhouse.rows("books")).to.deep.equal([]);
    expect(await spools()).to.deep.equal(before);
  });

  it("is refused with the rows that break a constraint, wherever they are", async () => {
    const rowhouse = await library();
    const rows = Array.from({ length: 2500 }, (_, index) => ({ id: index, title: `t${index}` }));
    const broken = rows.map((row) =>
      row.id === 7 ? { ...row, id: 3 } : row.id === 2222 ? { ...row, title: null } : row,
    );

    const reply = await send(rowhouse, broken.map((row) => JSON.stringify(row)).join("\n"));

    expect(reply.json.errors).to.deep.equal([
      "Row 7 (line 8): UNIQUE constraint failed: books.id",
      "Row 2222 (line 2223): NOT NULL constraint failed: books.title",
    ]);
    expect(await rowhouse.rows("books")).to.deep.equal([]);
    expect(eventNames(rowhouse)).to.deep.equal([]);
  });

  it("gets a report that has an end", async () => {
    const rowhouse = await library();

    const reply = await send(rowhouse, '{"x": 1}\n'.repeat(5000));

    expect(reply.json.errors).to.have.length(101);
    expect(reply.json.errors.at(-1)).to.equal("4900 more rows have problems");
  });

  it("gets a report that counts the rows that it does not name, also if a row has several problems", async () => {
    const rowhouse = await library();

    const reply = await send(rowhouse, '{"x": 1}\n'.repeat(60), { path: "upsert" });

    expect(reply.json.errors).to.have.length(101);
    expect(reply.json.errors.slice(-2)).to.deep.equal([
      "Row 49 (line 50) has invalid columns: x",
      "10 more rows have problems",
    ]);
  });

  it("is read no further after ten thousand rows with problems", async () => {
    const rowhouse = await library();

    const reply = await send(rowhouse, "x\n".repeat(1_000_000));

    expect(reply.status).to.equal(400);
    expect(reply.json.errors).to.have.length(101);
    expect(reply.json.errors.at(-1)).to.equal("Further rows were not read");
  });

  it("is refused when it is not UTF-8", async () => {
    const rowhouse = await library();

    const reply = await send(rowhouse, Buffer.from('{"title": "caf\xe9"}\n', "latin1"));

    expect([reply.status, reply.json.errors]).to.deep.equal([400, ["The body is not UTF-8 text"]]);
  });

  it("is cut off when it is too large", async () => {
    const rowhouse = await library({ settings: { max_insert_stream_mb: 1 } });

    const reply = await send(rowhouse, '{"title": "abcdefgh"}\n'.repeat(60_000));

    expect([reply.status, reply.json.errors]).to.deep.equal([
      413,
      ["Request body exceeded maximum size of 1048576 bytes"],
    ]);
    expect(await rowhouse.rows("books")).to.deep.equal([]);
  });

  it("keeps no other writer waiting while it comes in, and leaves nothing when its sender goes away", async () => {
    const rowhouse = await library();
    const before = await spools();
    const slow = beginUpload(rowhouse, await tokenOf(rowhouse, "root"));
    await until(async () => (await spools()).length > before.length);

    const quick = await send(rowhouse, '{"title": "quick"}');
    expect(quick.status).to.equal(201);
    slow.on("error", () => undefined).destroy();
    await until(async () => (await spools()).length === before.length);
    expect((await rowhouse.rows("books")).map(({ title }) => title)).to.deep.equal(["quick"]);
  });

  for (const [lost, path] of [
    ["insert-row", "insert"],
    ["update-row", "insert?replace=1"],
    ["update-row", "upsert"],
    ["alter-table", "insert?alter=1"],
  ] as const) {
    it(`to ${path} is refused if its sender loses ${lost} while it comes in`, async () => {
      let mayWrite = true;
      const rights = definePlugin({
        name: "rights",
        permission_allowed: (_rowhouse, { action }) =>
          ["insert-row", "update-row", "alter-table"].includes(action) ? mayWrite || action !== lost : null,
      });
      const rowhouse = await library({ plugins: [rights] });
      const before = await spools();
      const slow = beginUpload(rowhouse, await tokenOf(rowhouse, "ann"), path);
      await until(async () => (await spools()).length > before.length);
      mayWrite = false;
      slow.end();

      const [{ statusCode }] = (await once(slow, "response")) as [IncomingMessage];

      expect(statusCode).to.equal(403);
      expect(await rowhouse.rows("books")).to.deep.equal([]);
    });
  }

  it("is refused if its token is revoked while it comes in", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-uploads-"));
    const rowhouse = await library({ options: { internal: join(folder, "internal.db") } });
    const before = await spools();
    const slow = beginUpload(rowhouse, await tokenOf(rowhouse, "root"));
    await until(async () => (await spools()).length > before.length);
    const [{ id }] = (await rowhouse.get("/-/tokens.json", { as: "root" })).json.tokens;
    await rowhouse.post("/-/tokens", { as: "root", json: { id } });
    slow.end();

    const [{ statusCode }] = (await once(slow, "response")) as [IncomingMessage];

    expect(statusCode).to.equal(403);
    expect(await rowhouse.rows("books")).to.deep.equal([]);
    await rm(folder, { recursive: true });
  });
});

/** Sends the first row of an upload that is not complete. */
function beginUpload(rowhouse: TestRowhouse, token: string, path = "insert"): ClientRequest {
  const sent = request({
    port: rowhouse.port,
    method: "POST",
    path: `/library/books/-/${path}`,
    headers: { "content-type": NDJSON, authorization: `Bearer ${token}` },
  });
  sent.write('{"id": 1, "title": "slow"}\n');
  sent.flushHeaders();
  return sent;
}

const csv = (rowhouse: TestRowhouse, body: string, path = "insert"): Promise<TestReply> =>
  send(rowhouse, body, { type: `${CSV}; charset=utf-8`, path });

describe("a body of comma-separated values", () => {
  it("inserts a row for each record; an empty field is NULL, an empty text is in quotes", async () => {
    const rowhouse = await library();

    const reply = await csv(
      rowhouse,
      '\ufeffid,title,price,tag\r\n1,"Emma, ""the"" novel",9.5,007\r\n2,"two\nlines",,""\r\n',
    );

    expect(reply.json).to.deep.equal({ ok: true, row_count: 2 });
    expect(await rowhouse.rows("books")).to.deep.equal([
      { id: 1, title: 'Emma, "the" novel', price: 9.5, tag: "007" },
      { id: 2, title: "two\nlines", price: null, tag: "" },
    ]);
  });

  it("brings columns whose types hold what their fields spell", async () => {
    const rowhouse = await library();

    await csv(rowhouse, "title,n,r,z,e\na,1,1.5,007,\nb,,2,8,\nc,-3,1e3,9,\n", "insert?alter=1");

    expect(
      await rowhouse.query("select name, type from pragma_table_info('books') where cid > 3"),
    ).to.deep.equal([
      { name: "n", type: "INTEGER" },
      { name: "r", type: "FLOAT" },
      { name: "z", type: "TEXT" },
      { name: "e", type: "TEXT" },
    ]);
    expect(await rowhouse.query("select n, r, z from books")).to.deep.equal([
      { n: 1, r: 1.5, z: "007" },
      { n: null, r: 2, z: "8" },
      { n: -3, r: 1000, z: "9" },
    ]);
  });

  it("brings columns of numbers for the texts of doubles, and of texts for numbers that no double spells", async () => {
    const rowhouse = await library();
    const lines =
      "title,third,large,zero,whole,long,digits,integer,word\n" +
      "a,0.3333333333333333,1.2345678901234568e+17,-0,1000000000000000.0,0.33333333333333331,12345.123456789012345,100000000000000000000,NaN\n";

    await csv(rowhouse, lines, "insert?alter=1");

    expect(
      await rowhouse.query("select name, type from pragma_table_info('books') where cid > 3"),
    ).to.deep.equal([
      { name: "third", type: "FLOAT" },
      { name: "large", type: "FLOAT" },
      { name: "zero", type: "FLOAT" },
      { name: "whole", type: "FLOAT" },
      { name: "long", type: "TEXT" },
      { name: "digits", type: "TEXT" },
      { name: "integer", type: "TEXT" },
      { name: "word", type: "TEXT" },
    ]);
    expect(await rowhouse.query("select third from books")).to.deep.equal([{ third: 1 / 3 }]);
  });

  it("has the infinities of columns of doubles as exports write them", async () => {
    const sql = "create table books (id integer primary key, price real, title text); ";
    const rowhouse = await rowhouseFor({
      sql: `${sql} insert into books values (1, 9e999, 'inf'), (2, -9e999, '-inf')`,
    });
    const { text } = await rowhouse.get("/library/books.csv");

    await csv(rowhouse, text, "insert?replace=1");

    expect(text).to.equal("id,price,title\r\n1,inf,inf\r\n2,-inf,-inf\r\n");
    expect(await rowhouse.query("select typeof(price) as p, typeof(title) as t from books")).to.deep.equal([
      { p: "real", t: "text" },
      { p: "real", t: "text" },
    ]);
  });

  it("brings columns of integers for all integers of 64 bits, and of texts for larger ones", async () => {
    const rowhouse = await library();
    const lines = "title,most,least,more\na,9223372036854775807,-9223372036854775808,9223372036854775808\n";

    await csv(rowhouse, lines, "insert?alter=1");

    const types = "typeof(most) as most, typeof(least) as least, typeof(more) as more";
    expect(
      await rowhouse.query(`select ${types}, cast(most as text) as all_digits from books`),
    ).to.deep.equal([{ most: "integer", least: "integer", more: "text", all_digits: "9223372036854775807" }]);
  });

  it("may be separated by tabs", async () => {
    const rowhouse = await library();

    await send(rowhouse, "title\tprice\na,b\t2\n", { type: "text/tab-separated-values" });

    expect(await rowhouse.query("select title, price from books")).to.deep.equal([
      { title: "a,b", price: 2 },
    ]);
  });

  const mistakes: [name: string, body: string, message: string | RegExp][] = [
    ["a row with too many fields", "title,price\na,1\nb,2,3\n", "Row 1 (line 3): has 3 fields, not 2"],
    ["a column that does not exist", "title,x\na,1\n", "Row 0 (line 2) has invalid columns: x"],
    ["a column named twice", "title,title\na,b\n", "Duplicate column name: title"],
    ["a column without a name", "title,\na,b\n", "Column name is required"],
    ["a quote that is not closed", 'title\n"a\n', "Invalid CSV: the quote in line 2 is never closed"],
    ["nothing at all", "", "Invalid CSV: there is no line of column names"],
  ];
  for (const [name, body, message] of mistakes) {
    it(`is refused for ${name}`, async () => {
      const rowhouse = await library();

      const reply = await csv(rowhouse, body);

      expect(reply.status).to.equal(400);
      expect(reply.json.errors).to.have.length(1);
      expect(reply.json.errors[0]).to.match(message instanceof RegExp ? message : /./);
      if (typeof message === "string") expect(reply.json.errors[0]).to.equal(message);
      expect(await rowhouse.rows("books")).to.deep.equal([]);
    });
  }
});

describe("inserting row by row", () => {
  const options: [path: string, message: string][] = [
    ["insert?ignore=1&replace=1", 'Cannot use "ignore" and "replace" at the same time'],
    ["insert?upsert=1&ignore=1", "Upsert does not support ignore or replace"],
    ["upsert?ignore=1", "Upsert does not support ignore or replace"],
    ["upsert?replace=1", "Upsert does not support ignore or replace"],
    ["upsert?return_keys=1", '"return_keys" is for inserts that change no existing row'],
    ["insert?alter=maybe", '"alter" must be on or off'],
    ["insert?return=1", 'Invalid parameter: "return"'],
  ];
  for (const [path, message] of options) {
    it(`refuses ${path}`, async () => {
      const rowhouse = await library();

      const reply = await send(rowhouse, '{"id": 1, "title": "a"}', { path });

      expect([reply.status, reply.json.errors]).to.deep.equal([400, [message]]);
      expect(await rowhouse.rows("books")).to.deep.equal([]);
    });
  }

  const needs: [path: string, granted: string[], message: string][] = [
    ["insert", [], "Permission denied"],
    ["insert?upsert=1", ["insert-row"], "Permission denied: need both insert-row and update-row"],
    ["insert?replace=1", ["insert-row"], 'Permission denied: need update-row to use "replace"'],
    ["insert?alter=1", ["insert-row"], "Permission denied for alter-table"],
  ];
  for (const [path, granted, message] of needs) {
    it(`needs more than ${granted.join(", ") || "nothing"} for ${path}`, async () => {
      const rowhouse = await library();
      const token = await rowhouse.rowhouse.service("tokens").createToken("root", {
        restricted: true,
        restrictResource: { library: { books: [...granted, "view-table"] } },
      });

      const headers = { "content-type": NDJSON };
      const body = '{"title": "a"}';
      const reply = await rowhouse.post(`/library/books/-/${path}`, { token, body, headers });

      expect([reply.status, reply.json.errors]).to.deep.equal([403, [message]]);
      expect(await rowhouse.rows("books")).to.deep.equal([]);
    });
  }

  it("still rejects bodies of other types", async () => {
    const rowhouse = await library();

    const reply = await send(rowhouse, "x", { type: "text/plain" });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      400,
      ["Invalid content-type, must be application/json"],
    ]);
  });
});

describe("the keys of rows that a stream inserts", () => {
  it("are returned exactly, without those of rows that are left out", async () => {
    const rowhouse = await library();
    await send(rowhouse, '{"id": 7, "title": "Emma"}');

    const { json, text } = await send(
      rowhouse,
      '{"id": 9007199254740993, "title": "a"}\n{"id": 7, "title": "b"}\n{"title": "c"}',
      { path: "insert?ignore=1&return_keys=1" },
    );

    expect(json.row_count).to.equal(2);
    expect(text).to.include('"keys": [9007199254740993, 9007199254740994]');
  });

  const keyed: [table: string, kept: string, lines: readonly string[]][] = [
    ["numbers (key numeric primary key)", "insert into numbers values (1.5), (-1)", ["1", "2", "2.25"]],
    ["integers (key int primary key)", "insert into integers values (1.5), ('x')", ["1", "2", '"1x"']],
    [
      "anything (key primary key)",
      "insert into anything values ('1'), (2), ('ab')",
      ["1", '"2"', '{"$base64": true, "encoded": "YWI="}', '{"$base64": true, "encoded": "/wA="}'],
    ],
    [
      "texts (key text primary key) without rowid",
      "insert into texts values ('a'), ('null')",
      ['"1"', '"nul\\u0000"', '"é\\""'],
    ],
    ["rows (key)", "insert into rows values (1), ('1')", ["1", '"1"']],
  ];
  for (const [table, kept, values] of keyed) {
    it(`delete exactly these rows of ${table}`, async () => {
      const name = table.replace(/ .*/, "");
      const rowhouse = await rowhouseFor({ sql: `create table ${table}; ${kept}` });
      const before = await rowhouse.query(`select typeof(key), hex(key) from ${name}`);
      const token = await tokenOf(rowhouse, "root");

      const inserted = await rowhouse.post(`/library/${name}/-/insert?return_keys=1`, {
        token,
        headers: { "content-type": NDJSON },
        body: values.map((value) => `{"key": ${value}}`).join("\n"),
      });
      const [, keys = ""] = /"keys": (\[.*\])/.exec(inserted.text) ?? [];
      const deleted = await rowhouse.post(`/library/${name}/-/delete`, {
        token,
        headers: { "content-type": "application/json" },
        body: `{"keys": ${keys}}`,
      });

      expect([inserted.status, deleted.json]).to.deep.equal([201, { ok: true, row_count: values.length }]);
      expect(await rowhouse.query(`select typeof(key), hex(key) from ${name}`)).to.deep.equal(before);
    });
  }

  it("are lists for keys of several columns, and rowids for tables without one", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table books (a, b, primary key (a, b)); create table t (a)",
    });
    const headers = { "content-type": NDJSON };
    const token = await tokenOf(rowhouse, "root");
    const sent = { token, headers };

    const pairs = await rowhouse.post("/library/books/-/insert?return_keys=1", {
      ...sent,
      body: '{"a": 1, "b": "x"}',
    });
    const rowids = await rowhouse.post("/library/t/-/insert?return_keys=1", {
      ...sent,
      body: '{"a": 5}\n{"a": 6}',
    });

    expect([pairs.json.keys, rowids.json.keys]).to.deep.equal([[[1, "x"]], [1, 2]]);
  });

  it("are not those of a table whose statements return none", async () => {
    const rowhouse = await rowhouseFor({ sql: "create virtual table notes using fts5(body)" });
    const token = await tokenOf(rowhouse, "root");

    const reply = await rowhouse.post("/library/notes/-/insert?return_keys=1", {
      token,
      headers: { "content-type": NDJSON },
      body: '{"body": "a"}',
    });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      400,
      ['"return_keys": the rows of notes have no keys that can be returned'],
    ]);
  });

  it("are for inserts that change no existing row", async () => {
    const rowhouse = await library();

    const reply = await send(rowhouse, '{"id": 1, "title": "a"}', { path: "insert?upsert=1&return_keys=1" });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      400,
      ['"return_keys" is for inserts that change no existing row'],
    ]);
  });
});
