import { createHash } from "node:crypto";
import {
  jsonText,
  reply,
  WriteRejected,
  type Rowhouse,
  type SqlParams,
  type SqlValue,
  type Transaction,
  type Visit,
} from "rowhouse/plugin-api";
import { RowNotFound } from "rowhouse/plugin-api/errors";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { encodeRows, Real, type Dialect, type Rows } from "rowhouse/plugin-api/engine";
import { ifMatchHeader, onReply } from "rowhouse/plugin-api/http";
import { visibleColumns } from "../rows/rows-request.js";
import { addressColumns, columnTuple, rowAddress, type RowTarget } from "../target/row-target.js";
import { requireView, type WriteContext } from "../target/write-access.js";

type Read = (sql: string, params: SqlParams) => Promise<Rows>;

/**
 * The version of a row: a strong entity tag, with its quotes. It changes when any value or column that the actor can read
 * changes, and is the same in every process.
 *
 * @returns null if the row does not exist
 */
export async function rowVersion(
  dialect: Dialect,
  read: Read,
  source: ReadableTable,
  address: readonly SqlValue[],
): Promise<string | null> {
  const columns = visibleColumns(source.table);
  const found = addressColumns(source.table);
  const { json, kinds } = encodeRows({ columns: found, rows: [address] }, dialect.definitions.numbers);
  const { table } = source;
  const sought = dialect.packedRows({ table, columns: found, kinds, parameter: ":address" });
  const sql =
    `select ${columns.map(dialect.quoteIdentifier).join(", ")} from ${source.flattenable} ` +
    `where ${columnTuple(dialect, table, found)} in (${sought})`;
  const { rows } = await read(sql, { ...source.params, address: json });
  const [row] = rows;
  return row === undefined ? null : versionOf(columns, row);
}

/** The version of a row with these values of all columns that the actor can read. */
export function versionOf(columns: readonly string[], row: readonly SqlValue[]): string {
  const contents = row.map(contentOf);
  // With the kinds and lengths, the contents need no quotes and escapes between them: some are long.
  const digest = createHash("sha256").update(
    jsonText([columns, row.map(kindOf), contents.map(({ length }) => length)]),
  );
  for (const content of contents) digest.update(content);
  return `"${digest.digest("base64url").slice(0, 22)}"`;
}

function kindOf(value: SqlValue): string {
  if (value instanceof Uint8Array) return "blob";
  return typeof value === "string" ? "text" : "other";
}

function contentOf(value: SqlValue): string | Uint8Array {
  if (value instanceof Uint8Array || typeof value === "string") return value;
  // JSON has no infinite numbers, and null for them.
  return value instanceof Real && !Number.isFinite(value.value) ? String(value.value) : jsonText(value);
}

/** Is this a row's JSON with `_extras=version`? */
const asksForVersion = (visit: Visit): visit is Visit<"row"> =>
  visit.target.kind === "row" &&
  visit.format === "json" &&
  visit.request.query.getAll("_extras").some((extras) => extras.split(",").includes("version"));

/**
 * Sets the entity tag of a row whose JSON is requested with `_extras=version`. The version is found before the row is
 * read, so it can be older than the row, which at worst causes an unnecessary 412. A newer version could overwrite unseen
 * changes.
 */
export const tagRequestedVersion = (
  _rowhouse: Rowhouse,
  { visit }: { readonly visit: Visit },
): Promise<null> | null => (asksForVersion(visit) ? tagVersion(visit) : null);

async function tagVersion({ target: { database, source, key }, request }: Visit<"row">): Promise<null> {
  // Rows of views have no address. The row view reports them as missing.
  if (addressColumns(source.table).length === 0) return null;
  const read = database.read.bind(database);
  const { dialect } = database;
  try {
    const etag = await rowVersion(dialect, read, source, await rowAddress(read, { dialect, source, key }));
    if (etag === null) return null;
    // Compression would weaken the tag, and If-Match compares strong tags only.
    const headers = { etag, "cache-control": "no-transform" };
    onReply(request, (made) => (made.status === 200 ? reply.withHeaders(made, headers) : made));
  } catch (error) {
    // The row view reports the missing row.
    if (!(error instanceof RowNotFound)) throw error;
  }
  return null;
}

/** A condition on the stored row for a write. */
export interface Precondition {
  /** @throws WriteRejected (412) if the row at `address` does not meet the condition */
  check(transaction: Transaction, address: readonly SqlValue[]): Promise<void>;
}

/**
 * The precondition in the header `If-Match`. The reply reveals whether the row has a certain content, so it needs the
 * permission to view the table.
 *
 * @returns null without the header, and for `*`
 * @throws WriteRejected, 403 without view-table
 */
export async function parseIfMatch(visit: WriteContext, target: RowTarget): Promise<Precondition | null> {
  const header = ifMatchHeader(visit.request);
  return header === null ? null : preconditionOf(visit, target, header);
}

/** The precondition that the version of a row is among entity tags. @throws WriteRejected, 403 without view-table */
export async function preconditionOf(
  visit: WriteContext,
  target: RowTarget,
  header: string,
): Promise<Precondition> {
  const tags = tagsOf(header);
  const { source } = target;
  const { dialect } = target.database;
  await requireView(visit, target, "use If-Match");
  return {
    check: async (transaction, address) => {
      const version = await rowVersion(dialect, transaction.all.bind(transaction), source, address);
      if (version !== null && tags.includes(version)) return;
      throw new WriteRejected(["The row has changed"], 412);
    },
  };
}

const TAG = /^(?:W\/)?"[!#-~\u0080-\u00ff]*"$/;

/** @throws WriteRejected if the header is not a list of entity tags */
function tagsOf(header: string): readonly string[] {
  const tags = header.split(",").map((tag) => tag.trim());
  if (tags.every((tag) => TAG.test(tag))) return tags;
  throw new WriteRejected(["Invalid If-Match header"]);
}
