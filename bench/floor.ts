// The floor: the fastest program we know for each workload, with `node:http` and the same driver. SQLite builds a page as
// one JSON text and returns it as a blob, so that one Buffer and no JavaScript text crosses from its thread. Numbers
// are not exact, and there are no permissions, formats, plugins and limits. With `--exact`, lists of rows are those of
// Rowhouse: exact numbers, bytes, and ASCII only. With `--ready`, each page is read once and then sent from memory, also
// if the data changes: more pages a second than that, no cache can send through `node:http`.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import sqlite3 from "sqlite3";
import { cellNames, jsonFormat, ROW_SEPARATOR, rowsText } from "../plugins/sqlite/read/row-text.js";
import { toWireJson } from "../plugins/sqlite/read/wire-json.js";

const [file = "bench.db", mode] = process.argv.slice(2);
const isExact = mode === "--exact";
const PAGE_SIZE = 100;
const COLUMNS = ["id", "name", "kind", "place", "level", "height", "noted", "opened", "score", "note"];
const TEXTS = new Set(["name", "kind", "noted", "opened", "note"]);
const NAMES = COLUMNS.join(", ");
const TABLE = `select ${NAMES} from readings`;

type Row = Readonly<Record<string, unknown>>;
type Values = readonly (string | number)[];

/** As many connections as Rowhouse has threads, each with its prepared statements. */
const connections = Array.from({ length: 3 }, () => ({
  database: new sqlite3.Database(file, sqlite3.OPEN_READONLY),
  statements: new Map<string, sqlite3.Statement>(),
}));
let turn = 0;

function first(sql: string, values: Values = []): Promise<Row> {
  const { database, statements } = connections[(turn += 1) % connections.length] ?? { statements: new Map() };
  const statement = (statements.get(sql) as sqlite3.Statement) ?? database?.prepare(sql);
  statements.set(sql, statement);
  return new Promise((resolve, reject) =>
    statement.all<Row>(values, (error, rows) => (error ? reject(error) : resolve(rows[0] ?? {}))),
  );
}

/** The rows of a SELECT as a blob with a JSON list. Text is not faster for a page, but for one short row. */
const plainListOf = (select: string): string =>
  `select cast(json_group_array(json_array(${NAMES})) as blob) as list from (${select})`;

const CELLS = cellNames(COLUMNS);

const exactListOf = (select: string): string =>
  `with some(${CELLS.join()}) as (${select}) ` +
  `select cast(${rowsText(COLUMNS, jsonFormat({}))} as blob) as list from some`;

const listOf = isExact ? exactListOf : plainListOf;

/** The JSON list of rows that `listOf` has read. */
const jsonOf = (list: unknown): Buffer =>
  isExact
    ? Buffer.from(`[${toWireJson(list as Buffer, "null").replaceAll(ROW_SEPARATOR, ", ")}]`, "latin1")
    : (list as Buffer);

/** A Buffer between two texts that never change, as one body. */
const around = (start: string, end: string) => {
  const [head, tail] = [Buffer.from(start), Buffer.from(end)];
  return (middle: Uint8Array): Buffer => Buffer.concat([head, middle, tail]);
};

const columnsJson = JSON.stringify(COLUMNS);
const tableBody = around(
  '{"database":"bench","table":"readings","is_view":false,"rows":',
  `,"columns":${columnsJson},"primary_keys":["id"],"units":{},"facet_results":{},"suggested_facets":[]`,
);

/** Values that are computed again when another connection has changed the data. */
class PerVersion {
  readonly #values = new Map<string, Promise<Row>>();
  #version: unknown;

  async get(sql: string, values: Values): Promise<Row> {
    const { data_version: version } = await pollVersion();
    if (version !== this.#version) this.#values.clear();
    this.#version = version;
    const key = `${sql} ${values.join()}`;
    const known = this.#values.get(key) ?? first(sql, values);
    this.#values.set(key, known);
    return known;
  }
}

// A connection of its own, because the number is different for each.
const poller = new sqlite3.Database(file, sqlite3.OPEN_READONLY).prepare("pragma data_version");
const pollVersion = (): Promise<Row> =>
  new Promise((resolve, reject) =>
    poller.all<Row>((error, rows) => (error ? reject(error) : resolve(rows[0] ?? {}))),
  );
const perVersion = new PerVersion();

interface Page {
  readonly where: string;
  readonly values: Values;
  readonly count: boolean;
  readonly facet: string | null;
}

async function tablePage({ where, values, count, facet }: Page): Promise<Buffer> {
  const rows = first(`${listOf(`${TABLE} ${where} order by id limit ${PAGE_SIZE}`)}`, values);
  const total = count ? perVersion.get(`select count(*) as n from readings ${where}`, values) : null;
  const grouped = `select ${facet} as value, count(*) as count from readings ${where} group by 1 order by 2 desc limit 30`;
  const facets =
    facet === null
      ? null
      : perVersion.get(
          `select json_group_array(json_object('value', value, 'count', count)) as list from (${grouped})`,
          values,
        );
  const [{ list }, n, results] = await Promise.all([rows, total, facets]);
  const end = `,"filtered_table_rows_count":${(n?.["n"] as number) ?? null},"results":${(results?.["list"] as string) ?? null},"next":"${PAGE_SIZE}"}`;
  return Buffer.concat([tableBody(jsonOf(list)), Buffer.from(end)]);
}

const sqlBody = around(
  '{"ok":true,"database":"bench","rows":',
  `,"columns":${columnsJson},"truncated":false,"error":null}`,
);
const rowBody = around(
  '{"database":"bench","table":"readings","rows":',
  `,"columns":${columnsJson},"primary_keys":["id"]}`,
);
const searchBody = around('{"database":"bench","table":"notes","rows":', ',"columns":["id","body"]}');

const SEARCH =
  "select id, body from notes where id in (select rowid from notes_fts where notes_fts match ?) order by id";

const escaped = (text: string): string =>
  /[&<>"]/.test(text)
    ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
    : text;

const HEAD = `<!doctype html><html lang="en"><head><title>readings</title></head><body><table><thead><tr>${COLUMNS.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>`;

async function htmlTable(): Promise<string> {
  const { list } = await first(
    `select json_group_array(json_array(${NAMES})) as list from (${TABLE} order by id limit ${PAGE_SIZE})`,
  );
  let page = HEAD;
  for (const row of JSON.parse(list as string) as unknown[][]) {
    page += `<tr><td><a href="/bench/readings/${String(row[0])}">${String(row[0])}</a></td>`;
    for (let index = 1; index < row.length; index++) {
      const cell = row[index];
      page += cell === null ? "<td></td>" : `<td>${escaped(String(cell))}</td>`;
    }
    page += "</tr>";
  }
  return `${page}</tbody></table><a href="?_next=${PAGE_SIZE}">Next page</a></body></html>`;
}

async function home(): Promise<string> {
  const { tables } = await perVersion.get(
    "select json_group_array(name) as tables from sqlite_schema where type = 'table'",
    [],
  );
  const links = (JSON.parse(tables as string) as string[]).map(
    (name) => `<li><a href="/bench/${name}">${name}</a></li>`,
  );
  return `<!doctype html><html lang="en"><body><h1>bench</h1><ul>${links.join("")}</ul></body></html>`;
}

function bodyFor({ pathname, searchParams }: URL): Promise<Buffer | string> {
  if (pathname === "/") return home();
  if (pathname === "/bench/readings") return htmlTable();
  const sql = searchParams.get("sql");
  if (sql !== null) return first(listOf(sql)).then(({ list }) => sqlBody(jsonOf(list)));
  const search = searchParams.get("_search");
  if (search !== null)
    return first(
      `select cast(json_group_array(json_array(id, body)) as blob) as list from (${SEARCH} limit ${PAGE_SIZE})`,
      [search],
    ).then(({ list }) => searchBody(list as Buffer));
  const id = /^\/bench\/readings\/(\d+)\.json$/.exec(pathname)?.[1];
  if (id !== undefined)
    return first(listOf(`${TABLE} where id = ?`), [Number(id)]).then(({ list }) => rowBody(jsonOf(list)));
  const place = searchParams.get("place");
  return tablePage({
    where: place === null ? "" : "where place = ?",
    values: place === null ? [] : [Number(place)],
    count: !searchParams.has("_nocount"),
    facet: searchParams.has("_facet") ? "kind" : null,
  });
}

const readyBodies = new Map<string, Buffer | string>();

async function readyBodyFor(url: URL): Promise<Buffer | string> {
  const body = readyBodies.get(url.href) ?? (await bodyFor(url));
  readyBodies.set(url.href, body);
  return body;
}

function send(response: ServerResponse, status: number, type: string, body: Buffer | string): void {
  const headers = { "content-type": `${type}; charset=utf-8`, "content-length": Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

async function answer(url: URL, response: ServerResponse): Promise<void> {
  try {
    if (url.searchParams.has("_stream")) {
      await exportLines(url.pathname.endsWith(".csv") ? "csv" : "json", response);
      return;
    }
    const body = await (mode === "--ready" ? readyBodyFor(url) : bodyFor(url));
    send(response, 200, typeof body === "string" ? "text/html" : "application/json", body);
  } catch (error) {
    send(response, 500, "text/plain", String(error));
  }
}

/** Expressions for one line of an export. Texts are always quoted, because to look whether they must be takes longer. */
const LINES = {
  json: `json_object(${COLUMNS.map((name) => `'${name}', ${name}`).join(", ")})`,
  csv: COLUMNS.map((name) =>
    TEXTS.has(name) ? `ifnull('"' || replace(${name}, '"', '""') || '"', '')` : `ifnull(${name}, '')`,
  ).join(" || ',' || "),
} as const;
const LINES_AT_ONCE = 1_000;

/** All rows, a thousand at a time, each time after the last key. */
async function exportLines(format: "json" | "csv", response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": format === "csv" ? "text/csv" : "application/json" });
  if (format === "csv") response.write(`${COLUMNS.join()}\r\n`);
  const end = format === "csv" ? "char(13, 10)" : "char(10)";
  const some = `select * from readings where id > ? order by id limit ${LINES_AT_ONCE}`;
  const sql = `select cast(group_concat(line, '') as blob) as lines, max(id) as last from (select id, ${LINES[format]} || ${end} as line from (${some}))`;
  for (let last = 0; ;) {
    const found = await first(sql, [last]);
    if (found["lines"] === null) break;
    if (!response.write(found["lines"])) await once(response, "drain");
    last = found["last"] as number;
  }
  response.end();
}

const server = createServer(
  (request, response) => void answer(new URL(request.url ?? "/", "http://localhost"), response),
);
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.error(`Floor running on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
