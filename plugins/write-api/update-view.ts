import { RawJson } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { objectBody } from "./body.js";
import { perform } from "./operation.js";
import { done } from "./replies.js";
import { rowTarget } from "./targets.js";
import { updateNeeds, updateOperation } from "./update-operation.js";

/** Changes columns of one row. @throws WriteRejected and what the engine says */
export async function updateView(visit: WriteVisit): Promise<Reply> {
  const target = await rowTarget(visit, updateNeeds);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const { rows } = await perform(visit, updateOperation(visit, target, document));
  const [row] = rows ?? [];
  return done(row === undefined ? {} : { row: new RawJson(row) });
}
