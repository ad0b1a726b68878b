import { queryPairs } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { objectBody } from "../body.js";
import type { JsonObject } from "../json-value.js";
import { perform } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import { deleteNeeds } from "../delete-operation.js";
import { done, listOf } from "../replies.js";
import { tableTarget } from "../targets.js";
import { updateNeeds } from "../update-operation.js";
import { deleteFiltered } from "./delete-filtered.js";
import { updateFiltered } from "./update-filtered.js";

/** Changes columns of the rows that filters select. @throws WriteRejected and what the engine says */
export async function updateRowsView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, updateNeeds);
  const document = await objectBody(visit, "JSON must be a dictionary");
  return performed(
    visit,
    await updateFiltered(visit, target, { document, query: queryPairs(visit.request) }),
  );
}

/** Deletes the rows that filters select. @throws WriteRejected and what the engine says */
export async function deleteRowsView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, deleteNeeds);
  const document = await optionalBody(visit);
  return performed(
    visit,
    await deleteFiltered(visit, target, { document, query: queryPairs(visit.request) }),
  );
}

/** The query string alone may say all there is to say. */
async function optionalBody(visit: WriteVisit): Promise<JsonObject> {
  const { length } = await visit.request.body();
  return length === 0 ? new Map() : objectBody(visit, "JSON must be a dictionary");
}

async function performed(visit: WriteVisit, operation: WriteOperation): Promise<Reply> {
  const { count, rows } = await perform(visit, operation);
  if (rows === null) return done({ row_count: count });
  return done({ dry_run: true, row_count: count, rows: listOf(rows) });
}
