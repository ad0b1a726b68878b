import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply } from "../../../harness/index.js";

const SQL = `
  create table books (id integer primary key, title text);
  create table places (id integer primary key, code text unique on conflict replace);
  insert into places values (1, 'a');
`;
const MB = 1024 * 1024;

interface Sending extends Contents {
  readonly path?: string;
  readonly type?: string;
}

/** Sends a body of lines of JSON, or of another type, to a new server. */
async function send(body: string, sending: Sending = {}): Promise<TestReply> {
  const { path = "books/-/insert", type = "application/x-ndjson", ...contents } = sending;
  const rowhouse = await rowhouseFor({ sql: SQL, ...contents });
  const token = await rowhouse.rowhouse.service("tokens").createToken("root");
  return rowhouse.post(`/library/${path}`, { token, body, headers: { "content-type": type } });
}

describe("a stream of rows", () => {
  it("is refused for a table that replaces rows on conflict, if a part of it is hidden from the actor", async () => {
    const hiding = definePlugin({
      name: "hiding",
      read_scope: (_rowhouse, { tables }) => tables.map(({ name }) => ({ table: name, where: "id > 1" })),
    });

    const { status, json } = await send('{"id": 2, "code": "a"}', {
      path: "places/-/insert",
      plugins: [hiding],
    });

    expect([status, json.errors]).to.deep.equal([
      403,
      ["Permission denied: places replaces rows on conflict, and a part of it is hidden from you"],
    ]);
  });

  it("is UTF-8 if it is JSON, whatever charset its type names", async () => {
    const { status, text } = await send('{"id": 1, "title": "é"}', {
      type: "application/x-ndjson; charset=utf-16le",
    });

    expect(status, text).to.equal(201);
  });

  it("returns no keys of rows that may replace others", async () => {
    const { status, json } = await send('{"id": 1}', { path: "books/-/insert?replace=1&return_keys=1" });

    expect([status, json.errors]).to.deep.equal([
      400,
      ['"return_keys" is for inserts that change no existing row'],
    ]);
  });

  it("may be as long as the setting allows, and has no limit with 0", async () => {
    const row = '{"title": "Emma"}';
    const settings = { max_insert_stream_mb: 1 };
    const most = row + " ".repeat(MB - row.length);

    expect((await send(most, { settings })).status).to.equal(201);
    expect((await send(`${most} `, { settings })).status).to.equal(413);
    expect((await send(`${most} `, { settings: { max_insert_stream_mb: 0 } })).status).to.equal(201);
  });

  it("gets a report of at most a hundred messages, also if a row has several", async () => {
    const { json } = await send(`{"id": 1, "x": 1}\n${'{"x": 1}\n'.repeat(60)}`, { path: "books/-/upsert" });

    expect(json.errors).to.have.length(101);
    expect(json.errors.at(-1)).to.equal("10 more rows have problems");
  });

  it("may have a text that begins with millions of line breaks", async () => {
    const { status, text } = await send(`id,title\n1,"${"\n".repeat(12_000_000)}"\n`, {
      path: "books/-/insert",
      type: "text/csv",
    });

    expect([status, text]).to.deep.equal([201, '{"ok": true, "row_count": 1}']);
  });

  it("is refused with a short list of problems, however long the names of its columns are", async () => {
    const name = "n".repeat(2_000_000);
    const { status, json, text } = await send(`{"${name}": 1}\n`.repeat(20));

    expect(status).to.equal(400);
    expect(text.length).to.be.below(2_100_000);
    expect(json.errors?.at(-1)).to.equal("19 more rows have problems");
  });

  it("has at most 2,000 columns", async () => {
    const names = Array.from({ length: 2_001 }, (_, index) => `c${index}`);
    const row = `{${names.map((name) => `"${name}": 1`).join()}}`;
    const replies = [await send(row), await send(`${names.join()}\n`, { type: "text/csv" })];

    expect(replies.map(({ status, json }) => [status, json.errors])).to.deep.equal([
      [400, ["Row 0 (line 1): Too many columns, maximum allowed is 2000"]],
      [400, ["Too many columns, maximum allowed is 2000"]],
    ]);
  });

  it("adds a column for large integers beside decimals to STRICT tables, too", async () => {
    const { status, text } = await send("id,m\n1,9007199254740993\n2,1.5\n", {
      sql: "create table t (id integer primary key) strict",
      path: "t/-/insert?alter=1",
      type: "text/csv",
    });

    expect([status, text]).to.deep.equal([201, '{"ok": true, "row_count": 2}']);
  });
});
