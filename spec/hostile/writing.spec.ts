import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../harness/index.js";
import { until } from "../harness/until.js";

const SQL = `
create table books (id integer primary key, title text, shout text generated always as (upper(title)));
insert into books (id, title) values (1, 'Emma');
create table plain (a);
insert into plain values (1);
create view titles as select title from books;
create virtual table words using fts5 (word);
insert into words values ('one');
`;

/** Who may do what, each by name: `writer` has the named permissions and no others. */
const library = (permissions: readonly string[] = [], more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    sql: SQL,
    metadata: { permissions: Object.fromEntries(permissions.map((action) => [action, { id: "writer" }])) },
    ...more,
  });

/** Everything that is in the file. */
async function everything(rowhouse: TestRowhouse): Promise<unknown> {
  const schema = await rowhouse.query("select type, name, sql from sqlite_schema order by name");
  return [schema, await rowhouse.rows("books"), await rowhouse.rows("plain"), await rowhouse.rows("words")];
}

interface Attempt {
  readonly what: string;
  readonly may?: readonly string[];
  readonly path: string;
  readonly json: object;
  readonly status?: number;
}

async function changesNothing({ may = [], path, json, status = 403 }: Attempt): Promise<void> {
  const rowhouse = await library(may);
  const before = await everything(rowhouse);

  const reply = await rowhouse.post(path, { as: "writer", json });

  expect(reply.status, reply.text).to.equal(status);
  expect(reply.json.ok).to.equal(false);
  expect(await everything(rowhouse)).to.deep.equal(before);
  expect(rowhouse.events).to.deep.equal([]);
}

const forbidden: readonly Attempt[] = [
  { what: "insert without insert-row", path: "/library/books/-/insert", json: { row: { title: "x" } } },
  {
    what: "upsert without update-row",
    may: ["insert-row"],
    path: "/library/books/-/upsert",
    json: { rows: [{ id: 2, title: "x" }] },
  },
  {
    what: "upsert without insert-row",
    may: ["update-row"],
    path: "/library/books/-/upsert",
    json: { rows: [{ id: 1, title: "x" }] },
  },
  {
    what: "replace without update-row",
    may: ["insert-row"],
    path: "/library/books/-/insert",
    json: { rows: [{ id: 1, title: "x" }], replace: true },
  },
  {
    what: "create with rows without insert-row",
    may: ["create-table"],
    path: "/library/-/create",
    json: { table: "new", rows: [{ a: 1 }] },
  },
  {
    what: "create that replaces without update-row",
    may: ["create-table", "insert-row"],
    path: "/library/-/create",
    json: { table: "books", rows: [{ id: 1, title: "x" }], pk: "id", replace: true },
  },
  {
    what: "insert with alter without alter-table",
    may: ["insert-row", "update-row", "create-table"],
    path: "/library/books/-/insert",
    json: { rows: [{ id: 2, title: "x", extra: 1 }], alter: true },
  },
  {
    what: "upsert with alter without alter-table",
    may: ["insert-row", "update-row", "create-table"],
    path: "/library/books/-/upsert",
    json: { rows: [{ id: 1, extra: 1 }], alter: true },
  },
  {
    what: "altering without alter-table",
    may: ["insert-row", "update-row", "create-table", "drop-table"],
    path: "/library/books/-/alter",
    json: { operations: [{ op: "drop_column", args: { name: "title" } }] },
  },
  {
    what: "a batch of which one operation is not allowed",
    may: ["insert-row"],
    path: "/library/-/batch",
    json: {
      operations: [
        { op: "insert", table: "books", rows: [{ title: "x" }] },
        { op: "delete", table: "books", key: 1 },
      ],
    },
  },
  { what: "drop without drop-table", path: "/library/plain/-/drop", json: { confirm: true } },
  { what: "update without update-row", path: "/library/books/1/-/update", json: { update: { title: "x" } } },
  { what: "delete without delete-row", path: "/library/books/1/-/delete", json: {} },
];

describe("A write that one right is missing for", () => {
  for (const attempt of forbidden) {
    it(`writes nothing, also not the part that was allowed: ${attempt.what}`, () => changesNothing(attempt));
  }
});

const EVERYTHING = ["insert-row", "update-row", "delete-row", "create-table", "drop-table", "alter-table"];

const unwritable: readonly Attempt[] = [
  {
    what: "a generated column",
    path: "/library/books/-/insert",
    json: {
      rows: [
        { id: 2, title: "x" },
        { id: 3, shout: "X" },
      ],
    },
  },
  {
    what: "a generated column by update",
    path: "/library/books/1/-/update",
    json: { update: { shout: "X" } },
  },
  {
    what: "the rowid beside a primary key",
    path: "/library/books/-/insert",
    json: { row: { rowid: 9, title: "x" } },
  },
  { what: "the rowid by update", path: "/library/books/1/-/update", json: { update: { rowid: 9 } } },
  { what: "another name of the rowid", path: "/library/plain/-/insert", json: { row: { _rowid_: 9, a: 1 } } },
  { what: "a view", path: "/library/titles/-/insert", json: { row: { title: "x" } }, status: 404 },
  {
    what: "a view by upsert",
    path: "/library/titles/-/upsert",
    json: { rows: [{ title: "x" }] },
    status: 404,
  },
  { what: "a view by drop", path: "/library/titles/-/drop", json: { confirm: true }, status: 404 },
  { what: "a shadow table", path: "/library/words_content/-/insert", json: { row: { id: 9, c0: "x" } } },
  { what: "a shadow table by drop", path: "/library/words_data/-/drop", json: { confirm: true } },
  { what: "the schema", path: "/library/sqlite_master/-/insert", json: { row: { name: "x" } }, status: 404 },
  { what: "the schema by create", path: "/library/-/create", json: { table: "sqlite_x", rows: [{ a: 1 }] } },
];

describe("A write to a table that no actor may write", () => {
  for (const attempt of unwritable) {
    it(`is refused and changes nothing: ${attempt.what}`, () =>
      changesNothing({ status: 400, ...attempt, may: EVERYTHING }));
  }
});

const JSON_TYPE = "Content-Type: application/json";

/** Sends bytes as they are and returns what comes back until the server hangs up. */
async function raw(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(pieces).toString("latin1");
}

const opened = ({ port }: TestRowhouse, headers: readonly string[], type = JSON_TYPE): Socket => {
  const socket = connect(port, "127.0.0.1");
  const head = ["POST /library/plain/-/insert HTTP/1.1", "Host: localhost", type, ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return socket;
};

describe("A body that lies about itself", () => {
  const permissive = { metadata: { permissions: { "insert-row": true } } };

  it("is not unpacked, however small it pretends to be", async () => {
    const rowhouse = await library([], permissive);
    const body = gzipSync(`{"row": {"a": "${"x".repeat(50_000_000)}"}}`);
    const memory = process.memoryUsage().rss;

    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const reply = await rowhouse.post("/library/plain/-/insert", { body, headers });

    expect(reply.status).to.be.oneOf([400, 415]);
    expect(process.memoryUsage().rss - memory).to.be.below(40_000_000);
    expect(await rowhouse.rows("plain")).to.have.length(1);
  });

  for (const type of [JSON_TYPE, "Content-Type: application/x-ndjson", "Content-Type: text/csv"]) {
    it(`is refused where it is much too long, and those who send all of it hear so (${type})`, async () => {
      const settings = { max_post_body_bytes: 100_000, max_insert_stream_mb: 1 };
      const rowhouse = await library([], { ...permissive, settings });
      const socket = opened(rowhouse, ["Content-Length: 20000000"], type);
      const reply = once(socket, "data");
      for (let sent = 0; sent < 20; sent += 1) {
        if (!socket.write(Buffer.alloc(1_000_000, " "))) await once(socket, "drain");
      }

      expect(String((await reply)[0])).to.match(/^HTTP\/1\.1 413 /);
      socket.destroy();
      expect(await rowhouse.rows("plain")).to.have.length(1);
    });
  }

  it("is refused at the limit where it comes in chunks without end", async () => {
    const rowhouse = await library([], { ...permissive, settings: { max_post_body_bytes: 100_000 } });
    const socket = opened(rowhouse, ["Transfer-Encoding: chunked"]);
    const refused = once(socket, "data");
    let heard = false;
    void refused.then(() => (heard = true));
    socket.write('7\r\n{"row":\r\n');
    while (!heard) {
      socket.write(`2710\r\n${" ".repeat(10_000)}\r\n`);
      await sleep(1);
    }
    socket.destroy();

    expect(String((await refused)[0])).to.match(/^HTTP\/1\.1 413 /);
    expect(await rowhouse.rows("plain")).to.have.length(1);
  });

  it("writes nothing where it is shorter than it says and the sender hangs up", async () => {
    const rowhouse = await library([], permissive);
    const socket = opened(rowhouse, ["Content-Length: 100"]);
    const reply = raw(socket);
    socket.end('{"row": {"a": 2}}');

    await reply;

    expect(await rowhouse.rows("plain")).to.have.length(1);
    expect(rowhouse.events).to.deep.equal([]);
  });

  it("is read to the length it says and no further", async () => {
    const rowhouse = await library([], permissive);
    const socket = opened(rowhouse, ["Content-Length: 16", "Connection: close"]);
    const reply = raw(socket);
    socket.write('{"row": {"a": 2}, "row": {"a": 3}}');

    expect(await reply).to.match(/^HTTP\/1\.1 400 /);
    expect(await rowhouse.rows("plain")).to.have.length(1);
  });

  for (const type of ["application/json; charset=utf-16", "application/json; charset=latin1"]) {
    it(`is taken for what its bytes are: ${type}`, async () => {
      const rowhouse = await library([], permissive);
      const send = (body: Buffer): Promise<TestReply> =>
        rowhouse.post("/library/plain/-/insert", { body, headers: { "content-type": type } });

      const foreign = await send(Buffer.from('{"row": {"a": "é"}}', "latin1"));
      const utf8 = await send(Buffer.from('{"row": {"a": "é"}}'));

      expect([foreign.status, utf8.status]).to.deep.equal([400, 201]);
      expect((await rowhouse.rows("plain")).map(({ a }) => a)).to.deep.equal([1, "é"]);
    });
  }
});

/** The bytes of an insert of 1000 rows. */
function insertOf(batch: number): string {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ batch, i }));
  const body = JSON.stringify({ rows });
  const headers = ["Host: localhost", JSON_TYPE, `Content-Length: ${body.length}`].join("\r\n");
  return `POST /library/t/-/insert HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
}

describe("A client that goes away", () => {
  it("leaves a write whole or undone, and the next one unharmed", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (batch integer, i integer)",
      settings: { max_insert_rows: 1000 },
      metadata: { permissions: { "insert-row": true } },
    });
    await Promise.all(
      Array.from({ length: 30 }, async (_, batch) => {
        const socket = connect(rowhouse.port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(insertOf(batch));
        await sleep(batch * 4);
        socket.destroy();
      }),
    );
    const next = await rowhouse.post("/library/t/-/insert", { json: { rows: [{ batch: 99, i: 0 }] } });

    expect(next.status).to.equal(201);
    const batches = await rowhouse.query(
      "select batch, count(*) as n from t where batch < 99 group by batch",
    );
    expect(batches.filter(({ n }) => n !== 1000)).to.deep.equal([]);
    expect(await rowhouse.query("pragma integrity_check")).to.deep.equal([{ integrity_check: "ok" }]);
  });

  it("has its query ended, so that others get the connection", async () => {
    let begun = 0;
    const counting = definePlugin({ name: "counting", intercept_request: () => void (begun += 1) });
    const rowhouse = await rowhouseFor({
      settings: { num_sql_threads: 1, sql_time_limit_ms: 3_600_000 },
      tables: { books: [{ id: 1, title: "Emma" }] },
      plugins: [counting],
    });
    const endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
    const sockets = Array.from({ length: 4 }, () => {
      const socket = connect(rowhouse.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(
        `GET /library.json?sql=${encodeURIComponent(endless)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      );
      return socket;
    });
    await until(() => begun === 4);
    // One of them has the connection, or will have it in a moment.
    await sleep(50);
    for (const socket of sockets) socket.destroy();

    const reply = await rowhouse.get("/library.json?sql=select+1");

    expect(reply.status).to.equal(200);
  });

  it("has its export ended, and a writer does not wait for it", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table t (a); with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
        insert into t select printf('%.*c', 200, 'x') from n`,
    });
    const socket = connect(rowhouse.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("GET /library/t.csv?_stream=on HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "readable");
    socket.destroy();

    const reply = await rowhouse.post("/library/t/-/insert", { as: "root", json: { row: { a: "y" } } });

    expect(reply.status).to.equal(201);
  });
});
