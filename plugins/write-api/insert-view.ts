import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { objectBody, requireJsonType } from "./body.js";
import { insertNeeds, insertOperation } from "./insert-operation.js";
import { withOptimisticSchema } from "./optimistic-schema.js";
import { onceOnlyWithBody } from "./idempotency/idempotency-key.js";
import { respond } from "./idempotency/respond.js";
import { doneWithRows } from "./replies.js";
import { streamFormat } from "./stream/stream-request.js";
import { streamView } from "./stream/stream-view.js";
import { tableTarget } from "./targets.js";

/** Inserts rows. @throws WriteRejected and what the engine says */
export async function insertView(visit: WriteVisit): Promise<Reply> {
  const format = streamFormat(visit.request);
  if (format !== null) return streamView(visit, format, { upserts: false });
  return withOptimisticSchema(visit, async (schema) => {
    const target = await tableTarget(visit, insertNeeds, schema);
    requireJsonType(visit);
    const document = await objectBody(visit, "JSON must be a dictionary");
    const operation = await insertOperation(visit, target, document);
    const once = await onceOnlyWithBody(visit);
    return () => respond(visit, operation, { once, describe: ({ rows }) => doneWithRows(rows, 201) });
  });
}
