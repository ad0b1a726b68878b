import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { objectBody, requireJsonType } from "./body.js";
import { onceOnlyWithBody } from "./idempotency/idempotency-key.js";
import { respond } from "./idempotency/respond.js";
import { doneWithRows } from "./replies.js";
import { streamFormat } from "./stream/stream-request.js";
import { streamView } from "./stream/stream-view.js";
import { tableTarget } from "./targets.js";
import { upsertNeeds, upsertOperation } from "./upsert-operation.js";

/** Updates or inserts rows by their keys. @throws WriteRejected and what the engine says */
export async function upsertView(visit: WriteVisit): Promise<Reply> {
  const format = streamFormat(visit.request);
  if (format !== null) return streamView(visit, format, { upserts: true });
  const target = await tableTarget(visit, upsertNeeds);
  requireJsonType(visit);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const operation = await upsertOperation(visit, target, document);
  const once = await onceOnlyWithBody(visit);
  return respond(visit, operation, { once, describe: ({ rows }) => doneWithRows(rows) });
}
