import { createHash } from "node:crypto";
import { jsonText, quoteIdentifier, reply, RowNotFound } from "rowhouse/plugin-api";
import type { ReadableTable, Reply, Request, Rows, SqlParams, SqlValue, Visit } from "rowhouse/plugin-api";
import { encodeRows } from "../json/row-encoding.js";
import { visibleColumns } from "../rows/stored-rows.js";
import { addressColumns, columnTuple, rowAddress } from "../target/row-target.js";

type Read = (sql: string, params: SqlParams) => Promise<Rows>;

/**
 * The version of a row: a strong entity tag, with its quotes. It changes when any value or column that the actor can read
 * changes, and is the same in every process.
 *
 * @returns null if the row does not exist
 */
export async function rowVersion(
  read: Read,
  source: ReadableTable,
  address: readonly SqlValue[],
): Promise<string | null> {
  const columns = visibleColumns(source.table);
  const found = addressColumns(source.table);
  const { json, cells } = encodeRows({ columns: found, rows: [address] });
  const sql =
    `select ${columns.map(quoteIdentifier).join(", ")} from ${source.flattenable} ` +
    `where ${columnTuple(found)} in (select ${cells.join(", ")} from json_each(:address))`;
  const { rows } = await read(sql, { ...source.params, address: json });
  const [row] = rows;
  if (row === undefined) return null;
  const digest = createHash("sha256").update(jsonText([columns, row.map(hashableValue)]));
  return `"${digest.digest("base64url").slice(0, 22)}"`;
}

/** Distinguishes a BLOB from a text with the same bytes. */
const hashableValue = (value: SqlValue): unknown =>
  value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value;

const versionByRequest = new WeakMap<Request, string>();

/** Is this a row's JSON with `_extras=version`? */
const asksForVersion = (visit: Visit): visit is Visit<"row"> =>
  visit.target.kind === "row" &&
  visit.format === "json" &&
  visit.request.query.getAll("_extras").some((extras) => extras.split(",").includes("version"));

/**
 * Finds the version of a row whose JSON is requested with `_extras=version`. It is found before the row is read, so it can
 * be older than the row, which at worst causes an unnecessary 412. A newer version could overwrite unseen changes.
 */
export const findRequestedVersion = (visit: Visit): Promise<void> | null =>
  asksForVersion(visit) ? findVersion(visit) : null;

async function findVersion({ target: { database, source, key }, request }: Visit<"row">): Promise<void> {
  const read = database.read.bind(database);
  try {
    const version = await rowVersion(read, source, await rowAddress(read, { source, key }));
    if (version !== null) versionByRequest.set(request, version);
  } catch (error) {
    // The row view reports the missing row.
    if (!(error instanceof RowNotFound)) throw error;
  }
}

/** Sets the row's version as the entity tag of the reply, if it was found. */
export function withVersionTag(request: Request, value: Reply): Reply {
  const version = versionByRequest.get(request);
  return version === undefined || value.status !== 200 ? value : reply.withHeaders(value, { etag: version });
}
