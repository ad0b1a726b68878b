import { Real, WriteRejected, realText, tildeEncode } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { deleteNeeds, deleteOperation } from "../delete-operation.js";
import { deleteFiltered } from "../filtered/delete-filtered.js";
import { updateFiltered } from "../filtered/update-filtered.js";
import { insertNeeds, insertOperation } from "../insert-operation.js";
import { isList, isObject } from "../json-value.js";
import type { JsonObject, JsonValue } from "../json-value.js";
import { withoutKeys } from "../key-disclosure.js";
import type { WriteOperation } from "../operation.js";
import { requireKnown } from "../parameters.js";
import { requireWholeKey, tableTarget } from "../targets.js";
import type { Needs, RowTarget, TableTarget } from "../targets.js";
import { updateNeeds, updateOperation } from "../update-operation.js";
import { upsertNeeds, upsertOperation } from "../upsert-operation.js";
import type { OperationName, Step } from "./batch-request.js";

interface Kind {
  readonly needs: Needs;
  prepare(visit: WriteVisit, target: TableTarget, document: JsonObject): Promise<WriteOperation>;
}

const kinds: Readonly<Record<OperationName, Kind>> = {
  insert: { needs: insertNeeds, prepare: insertOperation },
  upsert: { needs: upsertNeeds, prepare: upsertOperation },
  update: {
    needs: updateNeeds,
    prepare: async (visit, target, document) => {
      if (!document.has("key")) return updateFiltered(visit, target, { document, query: [] });
      requireKnown(document, ["key", "update", "return", "alter"]);
      return updateOperation(visit, rowOf(target, document), document);
    },
  },
  delete: {
    needs: deleteNeeds,
    prepare: async (visit, target, document) => {
      if (!document.has("key")) return deleteFiltered(visit, target, { document, query: [] });
      requireKnown(document, ["key"]);
      return deleteOperation(visit, rowOf(target, document));
    },
  },
};

/** An operation on a table of the database in the path, checked as its own endpoint would. @throws WriteRejected */
export async function prepareStep(visit: WriteVisit, { op, table, document }: Step): Promise<WriteOperation> {
  const { needs, prepare } = kinds[op];
  const there: WriteVisit = { ...visit, params: { ...visit.params, table: tildeEncode(table) } };
  return withoutKeys(there, async () => prepare(visit, await tableTarget(there, needs), document));
}

/** Whether the row is there is seen when its turn comes: an earlier operation may make it. */
function rowOf(target: TableTarget, document: JsonObject): RowTarget {
  const given = document.get("key") ?? null;
  const key = (isList(given) ? given : [given]).map(keyText);
  requireWholeKey(target.table, key);
  return { ...target, key };
}

function keyText(value: JsonValue): string {
  if (value === null || typeof value === "boolean" || isObject(value) || isList(value)) {
    throw new WriteRejected(['"key" must be a text or a number, or a list of them']);
  }
  return value instanceof Real ? realText(value.value) : String(value);
}
