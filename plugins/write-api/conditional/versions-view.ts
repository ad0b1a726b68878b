import {
  jsonText,
  permissionChain,
  WriteRejected,
  type RouteFor,
  type SqlValue,
  type Visit,
} from "rowhouse/plugin-api";
import { RowNotFound } from "rowhouse/plugin-api/errors";
import { bodyOf } from "rowhouse/plugin-api/http";
import { objectBody, requireKnownMembers } from "../json/body.js";
import { isList } from "../json/cell-values.js";
import { visibleColumns } from "../rows/rows-request.js";
import { keyOf, rowByKey } from "../target/row-target.js";
import { requireTable } from "../target/write-route.js";
import { versionOf } from "./row-version.js";

/** `POST /<database>/<table>/-/rows`: rows by their keys, each with its version. It is a POST because of the many keys. */
export const versionsRoute: RouteFor<"table"> = {
  name: "row-versions",
  path: "/:database/:resource/-/rows",
  method: "POST",
  target: "table",
  permissions: permissionChain,
  refusal: "You do not have permission to view this table",
  async view(visit) {
    requireTable(visit);
    const rows: (VersionedRow | null)[] = [];
    for (const key of await parseKeys(visit)) rows.push(await readRow(visit, key));
    const headers = { "content-type": "application/json; charset=utf-8" };
    return { status: 200, headers, body: await bodyOf(documentPieces(rows), visit.request) };
  },
};

/** As pieces: thousands of long rows as one text would block the event loop. */
function* documentPieces(rows: readonly (VersionedRow | null)[]): Generator<string> {
  yield '{"ok": true, "rows": [';
  for (const [place, row] of rows.entries()) yield `${place === 0 ? "" : ", "}${jsonText(row)}`;
  yield "]}";
}

interface VersionedRow {
  readonly version: string;
  readonly row: ReadonlyMap<string, SqlValue>;
}

async function parseKeys(visit: Visit<"table">): Promise<readonly (readonly string[])[]> {
  const document = await objectBody(visit, "JSON must be a dictionary");
  requireKnownMembers(document, ["keys"]);
  const keys = document.get("keys");
  if (!isList(keys)) throw new WriteRejected(['"keys" must be a list']);
  const most = visit.rowhouse.setting("max_batch_operations");
  if (keys.length > most) throw new WriteRejected([`Too many keys, maximum allowed is ${most}`]);
  return keys.map((key) => keyOf(visit.target.table, key));
}

/** @returns null if the row does not exist, or if the actor may not read it */
async function readRow(
  { target: { database, source }, request }: Visit<"table">,
  key: readonly string[],
): Promise<VersionedRow | null> {
  const columns = visibleColumns(source.table);
  const { dialect } = database;
  try {
    const values = await rowByKey(database.read.bind(database), { dialect, source, key }, columns);
    const asText = request.query.get("_bigint") === "text";
    const shown = values.map((value) => (asText && typeof value === "bigint" ? String(value) : value));
    return {
      version: versionOf(columns, values),
      row: new Map(columns.map((name, place) => [name, shown[place] ?? null])),
    };
  } catch (error) {
    if (error instanceof RowNotFound) return null;
    throw error;
  }
}
