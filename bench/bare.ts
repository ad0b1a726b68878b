// The program with which Rowhouse is compared: only these three pages, with `node:http` and the same driver, without
// permissions, formats, plugins or limits.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import sqlite3 from "sqlite3";

type Row = Record<string, unknown>;

const [file = "bench.db"] = process.argv.slice(2);
const database = new sqlite3.Database(file, sqlite3.OPEN_READONLY);
const PAGE_SQL =
  "select id, name, kind, place, level, height, noted, opened, score, note from readings order by id";

const all = (sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
  new Promise((resolve, reject) =>
    database.all<Row>(sql, values, (error, rows) => (error ? reject(error) : resolve(rows))),
  );

async function tablePage(origin: string): Promise<object> {
  const found = await all(`${PAGE_SQL} limit 101`);
  const rows = found.slice(0, 100);
  const columns = Object.keys(rows[0] ?? {});
  const next = found.length > 100 ? String(rows[99]?.["id"]) : null;
  return {
    database: "bench",
    table: "readings",
    is_view: false,
    human_description_en: "",
    rows: rows.map((cells) => columns.map((column) => cells[column])),
    truncated: false,
    filtered_table_rows_count: null,
    expanded_columns: [],
    expandable_columns: [],
    columns,
    primary_keys: ["id"],
    units: {},
    query: { sql: `${PAGE_SQL} limit 101`, params: {} },
    facet_results: {},
    suggested_facets: [],
    next,
    next_url:
      next === null ? null : `${origin}/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1&_next=${next}`,
    private: false,
    allow_execute_sql: true,
  };
}

async function sqlPage(sql: string): Promise<object> {
  const rows = await all(sql);
  const columns = Object.keys(rows[0] ?? {});
  return {
    ok: true,
    database: "bench",
    query_name: null,
    rows: rows.map((cells) => columns.map((column) => cells[column])),
    truncated: false,
    columns,
    query: { sql, params: {} },
    error: null,
    private: false,
    allow_execute_sql: true,
  };
}

async function rowPage(id: string): Promise<object> {
  const rows = await all("select * from readings where id = ?", [Number(id)]);
  const columns = Object.keys(rows[0] ?? {});
  return {
    database: "bench",
    table: "readings",
    rows: rows.map((cells) => columns.map((column) => cells[column])),
    columns,
    primary_keys: ["id"],
    primary_key_values: [id],
    units: {},
  };
}

async function answer(url: URL, response: ServerResponse): Promise<void> {
  const began = performance.now();
  const id = /^\/bench\/readings\/(\d+)\.json$/.exec(url.pathname)?.[1];
  const sql = url.searchParams.get("sql");
  const document = await (id !== undefined
    ? rowPage(id)
    : sql !== null
      ? sqlPage(sql)
      : tablePage(url.origin));
  const body = JSON.stringify({ ...document, query_ms: performance.now() - began });
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
  answer(url, response).catch((error: unknown) => {
    response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
    response.end(String(error));
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.error(`Bare program running on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
