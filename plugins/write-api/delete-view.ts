import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { preconditionOf } from "./conditional/precondition.js";
import { deleteNeeds, deleteOperation } from "./delete-operation.js";
import { perform } from "./operation.js";
import { done } from "./replies.js";
import { rowTarget } from "./targets.js";

/** Deletes one row. @throws WriteRejected and what the engine says */
export async function deleteView(visit: WriteVisit): Promise<Reply> {
  const target = await rowTarget(visit, deleteNeeds);
  await perform(visit, deleteOperation(visit, target, await preconditionOf(visit, target)));
  return done();
}
