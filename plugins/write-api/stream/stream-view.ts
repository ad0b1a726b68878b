import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import type { Reply } from "rowhouse/plugin-api";
import { onceOnly } from "../idempotency/idempotency-key.js";
import { insertNeeds, requireReplacing } from "../insert/insert.js";
import { done } from "../json/body.js";
import { eventFacts, respond } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import { addColumns, requireAltering, widenedEvents } from "../rows/add-columns.js";
import { typesOf } from "../rows/column-type-checks.js";
import { insertRules, knownColumns, upsertRules } from "../rows/rows-request.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { tableTarget } from "../target/table-target.js";
import type { TableTarget } from "../target/table-target.js";
import { upsertNeeds } from "../upsert/upsert.js";
import { bodyText } from "./body-text.js";
import { load } from "./load-rows.js";
import { csvRows, ndjsonRows } from "./row-sources.js";
import type { RowSource } from "./row-sources.js";
import { newColumnsOfTexts, newColumnsOfValues, noNewColumns, receive } from "./stage-rows.js";
import type { NewColumns, Received } from "./stage-rows.js";
import { StagedRows } from "./staged-rows.js";
import { isSet, streamRequest } from "./stream-request.js";
import type { StreamFormat, StreamRequest } from "./stream-request.js";

const BYTES_IN_MB = 1024 * 1024;

/**
 * Inserts the rows of a body that may be larger than memory. Nobody waits for its sender: rows are checked and put
 * aside as they come in, and written in one go when the last one is there.
 *
 * @throws WriteRejected and what the engine says
 */
export async function streamView(
  visit: WriteVisit,
  format: StreamFormat,
  { upserts }: { readonly upserts: boolean },
): Promise<Reply> {
  const isUpsert = upserts || isSet(visit.request.query, "upsert");
  const target = await tableTarget(visit, isUpsert ? upsertNeeds : insertNeeds);
  const asked = { ...streamRequest(visit.request.query), upsert: isUpsert };
  if (asked.conflict === "replace") await requireReplacing(visit, target);
  if (asked.alter) await requireAltering(visit, target);
  const spool = await StagedRows.open();
  try {
    const { table } = target;
    const rules = asked.upsert ? upsertRules(table, asked.alter) : insertRules(table, asked.alter);
    const newColumns = asked.alter ? newColumnsFor(format, knownColumns(table)) : noNewColumns;
    const digest = createHash("sha256");
    const types = await typesOf(visit, target.database.name, table.name);
    const received = await receive(rowsOf(visit, format, digest), { rules, newColumns, spool, types });
    const operation = loadOperation(visit, target, { asked, received, spool });
    return await respond(visit, operation, {
      once: onceOnly(visit, digest.digest("base64url")),
      describe: ({ count }) => done({ row_count: count }, isUpsert ? 200 : 201),
    });
  } finally {
    await spool.remove();
  }
}

function rowsOf({ rowhouse, request }: WriteVisit, format: StreamFormat, digest: Hash): RowSource {
  const text = bodyText(
    digested(request.stream(), digest),
    rowhouse.setting("max_insert_stream_mb") * BYTES_IN_MB,
  );
  if (format === "ndjson") return ndjsonRows(text);
  return csvRows(text, format === "csv" ? "," : "\t");
}

async function* digested(body: AsyncIterable<Uint8Array>, digest: Hash): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    digest.update(piece);
    yield piece;
  }
}

const newColumnsFor = (format: StreamFormat, known: ReadonlySet<string>): NewColumns =>
  format === "ndjson" ? newColumnsOfValues(known) : newColumnsOfTexts(known);

interface Load {
  readonly asked: StreamRequest;
  readonly received: Received;
  readonly spool: StagedRows;
}

function loadOperation(
  visit: WriteVisit,
  target: TableTarget,
  { asked, received, spool }: Load,
): WriteOperation {
  const { database, table } = target;
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      const wide = await addColumns(transaction, table, received.newColumns);
      const count = await load(
        { transaction, readable: { ...target.readable, table: wide.table }, asked },
        spool,
      );
      return { count, rows: null, widened: wide.widened };
    },
    events: ({ widened }) => [
      ...widenedEvents(visit, target, widened),
      asked.upsert
        ? { name: "upsert-rows", ...eventFacts(visit, target), num_rows: received.count }
        : {
            name: "insert-rows",
            ...eventFacts(visit, target),
            num_rows: received.count,
            ignore: asked.conflict === "ignore",
            replace: asked.conflict === "replace",
          },
    ],
  };
}
