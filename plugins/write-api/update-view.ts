import { RawJson, reply } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { objectBody } from "./body.js";
import { preconditionOf } from "./conditional/precondition.js";
import { perform } from "./operation.js";
import { done } from "./replies.js";
import { rowTarget } from "./targets.js";
import { updateNeeds, updateOperation } from "./update-operation.js";

/** Changes columns of one row. @throws WriteRejected and what the engine says */
export async function updateView(visit: WriteVisit): Promise<Reply> {
  const target = await rowTarget(visit, updateNeeds);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const precondition = await preconditionOf(visit, target);
  const operation = await updateOperation(visit, target, document, precondition);
  const { rows, version = null } = await perform(visit, operation);
  const [row] = rows ?? [];
  const answer = done(row === undefined ? {} : { row: new RawJson(row) });
  return version === null ? answer : reply.withHeaders(answer, { etag: version });
}
