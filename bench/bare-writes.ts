// The program with which writes are compared: it inserts or upserts rows from JSON, with `node:http` and the same
// driver, one transaction per request, without permissions, checks or exact numbers.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import sqlite3 from "sqlite3";

type Row = Readonly<Record<string, unknown>>;

const [file = "bench.db"] = process.argv.slice(2);
const database = new sqlite3.Database(file);
const COLUMNS = ["name", "kind", "place", "level", "height", "noted", "opened", "score", "note"];
const INSERT = `insert into readings (${COLUMNS.join(", ")}) values (${COLUMNS.map(() => "?").join(", ")})`;
const UPSERT =
  `insert into readings (id, ${COLUMNS.join(", ")}) values (?, ${COLUMNS.map(() => "?").join(", ")}) ` +
  `on conflict (id) do update set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;

const execute = (sql: string): Promise<void> =>
  new Promise((resolve, reject) => database.exec(sql, (error) => (error ? reject(error) : resolve())));

// The same setting as Rowhouse. With a weaker one, a deleted journal may exist again after a power failure, and the
// rows would be lost.
await execute("pragma synchronous = extra");
const insert = database.prepare(INSERT);
const upsert = database.prepare(UPSERT);

const run = (row: Row): Promise<void> =>
  new Promise((resolve, reject) => {
    const values = COLUMNS.map((column) => row[column]);
    const done = (error: Error | null): void => (error ? reject(error) : resolve());
    if (row["id"] === undefined) insert.run(values, done);
    else upsert.run([row["id"], ...values], done);
  });

async function insertTogether(rows: readonly Row[]): Promise<void> {
  await execute("begin immediate");
  await Promise.all(rows.map(run));
  await execute("commit");
}

let last: Promise<void> = Promise.resolve();

/** Sequentially, because the requests share a connection. */
function insertAll(rows: readonly Row[]): Promise<void> {
  last = last.then(() => insertTogether(rows));
  return last;
}

const server = createServer((request, response) => {
  const answer = async (): Promise<void> => {
    const { rows } = JSON.parse(await text(request)) as { readonly rows: readonly Row[] };
    await (rows.length === 1 ? run(rows[0] ?? {}) : insertAll(rows));
    response.writeHead(201, { "content-type": "application/json; charset=utf-8" });
    response.end('{"ok": true}');
  };
  answer().catch((error: unknown) => {
    response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
    response.end(String(error));
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.error(`Bare program running on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
