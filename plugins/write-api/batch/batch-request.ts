import { WriteRejected } from "rowhouse/plugin-api";
import { isList, isObject, truthy } from "../json-value.js";
import type { JsonObject, JsonValue } from "../json-value.js";
import { requireKnown } from "../parameters.js";
import { asOperation } from "../operation-place.js";

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
