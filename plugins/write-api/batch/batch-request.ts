import { WriteRejected, Real, realText, tildeEncode } from "rowhouse/plugin-api";
import { deleteNeeds, deleteOperation } from "../delete/delete-row.js";
import { deleteFiltered, updateFiltered } from "../filtered/filtered-writes.js";
import { insertNeeds, insertOperation } from "../insert/insert.js";
import { requireKnown } from "../json/arguments.js";
import { isList, isObject, truthy } from "../json/cell-values.js";
import type { JsonObject, JsonValue } from "../json/cell-values.js";
import { asOperation } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { withoutKeys } from "../target/redact-error.js";
import { requireWholeKey } from "../target/row-target.js";
import type { RowTarget } from "../target/row-target.js";
import { tableTarget } from "../target/table-target.js";
import type { Needs, TableTarget } from "../target/table-target.js";
import { updateNeeds, updateOperation } from "../update/update-row.js";
import { upsertNeeds, upsertOperation } from "../upsert/upsert.js";

export const operationNames = ["insert", "upsert", "update", "delete"] as const;
export type OperationName = (typeof operationNames)[number];

/** One of several writes, as it was sent. */
export interface Step {
  readonly op: OperationName;
  readonly table: string;
  /** The members that are the operation's own. */
  readonly document: JsonObject;
}

export interface BatchRequest {
  readonly steps: readonly Step[];
  readonly dryRun: boolean;
}

/** Reads a body's shape. @throws WriteRejected */
export function batchRequest(document: JsonObject, maxOperations: number): BatchRequest {
  requireKnown(document, ["operations", "dry_run"]);
  const operations = document.get("operations");
  if (!isList(operations)) throw new WriteRejected(['"operations" must be a list']);
  if (operations.length === 0) throw new WriteRejected(['"operations" must not be empty']);
  if (operations.length > maxOperations) {
    throw new WriteRejected([`Too many operations, maximum allowed is ${maxOperations}`]);
  }
  return {
    steps: operations.map(readStep),
    dryRun: truthy(document.get("dry_run")),
  };
}

function readStep(operation: JsonValue, index: number): Step {
  try {
    return step(operation);
  } catch (error) {
    throw asOperation(index, error);
  }
}

function step(operation: JsonValue): Step {
  if (!isObject(operation)) throw new WriteRejected(["must be a dictionary"]);
  const name = operation.get("op");
  const op = operationNames.find((known) => known === name);
  if (op === undefined) throw new WriteRejected([`"op" must be one of ${operationNames.join(", ")}`]);
  const table = operation.get("table");
  if (typeof table !== "string" || table === "") throw new WriteRejected(['"table" must be a name']);
  if (operation.has("dry_run")) throw new WriteRejected(['"dry_run" belongs to the whole batch']);
  const own = [...operation].filter(([key]) => key !== "op" && key !== "table");
  return { op, table, document: new Map(own) };
}

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
