import { WriteRejected, Real, realText, tildeEncode } from "rowhouse/plugin-api";
import { deletePermissions, deleteOperation } from "../delete/delete-row.js";
import { deleteFiltered, updateFiltered } from "../filtered/filtered-writes.js";
import { insertPermissions, insertOperation } from "../insert/insert.js";
import { requireKnownMembers } from "../json/arguments.js";
import { isList, isObject, truthy } from "../json/cell-values.js";
import type { JsonObject, JsonValue } from "../json/cell-values.js";
import { withOperationIndex } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { hideKeyColumns } from "../target/redact-error.js";
import { requireCompleteKey } from "../target/row-target.js";
import type { RowTarget } from "../target/row-target.js";
import { tableTarget } from "../target/table-target.js";
import type { RequiredPermissions, TableTarget } from "../target/table-target.js";
import { updatePermissions, updateOperation } from "../update/update-row.js";
import { upsertPermissions, upsertOperation } from "../upsert/upsert.js";

export const operationNames = ["insert", "upsert", "update", "delete"] as const;
export type OperationName = (typeof operationNames)[number];

/** One operation of a batch, as it was sent. */
export interface Step {
  readonly op: OperationName;
  readonly table: string;
  /** The members without `op` and `table`. */
  readonly document: JsonObject;
}

export interface BatchRequest {
  readonly steps: readonly Step[];
  readonly dryRun: boolean;
}

/** Parses the body of a batch. @throws WriteRejected */
export function parseBatchRequest(document: JsonObject, maxOperations: number): BatchRequest {
  requireKnownMembers(document, ["operations", "dry_run"]);
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
    return parseStep(operation);
  } catch (error) {
    throw withOperationIndex(index, error);
  }
}

function parseStep(operation: JsonValue): Step {
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

interface OperationKind {
  readonly permissions: RequiredPermissions;
  prepare(visit: WriteVisit, target: TableTarget, document: JsonObject): Promise<WriteOperation>;
}

const operationKinds: Readonly<Record<OperationName, OperationKind>> = {
  insert: { permissions: insertPermissions, prepare: insertOperation },
  upsert: { permissions: upsertPermissions, prepare: upsertOperation },
  update: {
    permissions: updatePermissions,
    prepare: async (visit, target, document) => {
      if (!document.has("key")) return updateFiltered(visit, target, { document, query: [] });
      requireKnownMembers(document, ["key", "update", "return", "alter"]);
      return updateOperation(visit, rowOf(target, document), document);
    },
  },
  delete: {
    permissions: deletePermissions,
    prepare: async (visit, target, document) => {
      if (!document.has("key")) return deleteFiltered(visit, target, { document, query: [] });
      requireKnownMembers(document, ["key"]);
      return deleteOperation(visit, rowOf(target, document));
    },
  },
};

/** Prepares one operation with the same checks as its own endpoint. @throws WriteRejected */
export async function prepareStep(visit: WriteVisit, { op, table, document }: Step): Promise<WriteOperation> {
  const { permissions, prepare } = operationKinds[op];
  const there: WriteVisit = { ...visit, params: { ...visit.params, table: tildeEncode(table) } };
  return hideKeyColumns(there, async () => prepare(visit, await tableTarget(there, permissions), document));
}

/** The row is looked up when the operation runs, because an earlier operation may insert it. */
function rowOf(target: TableTarget, document: JsonObject): RowTarget {
  const given = document.get("key") ?? null;
  const key = (isList(given) ? given : [given]).map(keyText);
  requireCompleteKey(target.table, key);
  return { ...target, key };
}

function keyText(value: JsonValue): string {
  if (value === null || typeof value === "boolean" || isObject(value) || isList(value)) {
    throw new WriteRejected(['"key" must be a text or a number, or a list of them']);
  }
  return value instanceof Real ? realText(value.value) : String(value);
}
