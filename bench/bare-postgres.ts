// The program with which PostgreSQL is compared: `node:http` and the same client, with prepared statements, and without
// permissions, formats, plugins, limits and exact numbers.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Pool } from "pg";

type Row = Readonly<Record<string, unknown>>;

const [url = "", readRole = ""] = process.argv.slice(2);
const COLUMNS = ["name", "kind", "place", "level", "height", "noted", "opened", "score", "note"];
const NAMES = ["id", ...COLUMNS].join(", ");
const SESSIONS = 10;

const pool = new Pool({ connectionString: url, max: SESSIONS });
/** The role that runs untrusted SQL, as Rowhouse does. */
const guests = new Pool({ connectionString: url.replace("rowhouse@", `${readRole}@`), max: SESSIONS });

interface Named {
  readonly name: string;
  readonly text: string;
}

const PAGE: Named = { name: "page", text: `select ${NAMES} from readings order by id limit 100` };
const ROW: Named = { name: "row", text: `select ${NAMES} from readings where id = $1` };
const INSERT: Named = {
  name: "insert",
  text: `insert into readings (${COLUMNS.join(", ")}) values (${COLUMNS.map((_name, index) => `$${index + 1}`).join(", ")})`,
};
const INSERT_MANY: Named = {
  name: "insert many",
  text:
    `insert into readings (${COLUMNS.join(", ")}) select ${COLUMNS.join(", ")} from json_to_recordset($1) ` +
    "as (name text, kind text, place bigint, level float8, height float8, noted text, opened text, score bigint, note text)",
};

async function rowsOf(from: Pool, query: Named | string, values: readonly unknown[] = []): Promise<string> {
  const named = typeof query === "string" ? { text: query } : query;
  const { rows, fields } = await from.query<unknown[]>({ ...named, values: [...values], rowMode: "array" });
  return JSON.stringify({ ok: true, rows, columns: fields.map(({ name }) => name), truncated: false });
}

async function insert(rows: readonly Row[]): Promise<string> {
  const [first] = rows;
  if (rows.length === 1 && first !== undefined)
    await pool.query({ ...INSERT, values: COLUMNS.map((column) => first[column]) });
  else await pool.query({ ...INSERT_MANY, values: [JSON.stringify(rows)] });
  return '{"ok": true}';
}

async function bodyFor(request: IncomingMessage): Promise<string> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "POST") {
    const { rows } = JSON.parse(await text(request)) as { readonly rows: readonly Row[] };
    return insert(rows);
  }
  const sql = searchParams.get("sql");
  if (sql !== null) return rowsOf(guests, sql);
  const id = /^\/bench\/readings\/(\d+)\.json$/.exec(pathname)?.[1];
  return id === undefined ? rowsOf(pool, PAGE) : rowsOf(pool, ROW, [id]);
}

const server = createServer((request, response) => {
  const send = (status: number, body: string): void => {
    const type = "application/json; charset=utf-8";
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
  };
  bodyFor(request).then(
    (body) => send(request.method === "POST" ? 201 : 200, body),
    (error: unknown) => send(500, String(error)),
  );
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.error(`Bare program running on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
