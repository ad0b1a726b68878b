import { Forbidden, WriteRejected, type RouteFor } from "rowhouse/plugin-api";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api/json";
import { deleteOperation } from "../delete/delete-row.js";
import {
  deleteFiltered,
  deleteRowsRoute,
  updateFiltered,
  updateRowsRoute,
} from "../filtered/filtered-writes.js";
import { insertOperation, insertRoute } from "../insert/insert.js";
import { requireKnownMembers } from "../json/body.js";
import { isList, isObject, truthy } from "../json/cell-values.js";
import { withOperationIndex, type WriteOperation } from "../operation.js";
import { preconditionOf, type Precondition } from "../conditional/row-version.js";
import { redactKeyColumns } from "../target/redact-error.js";
import { keyOf, type RowTarget } from "../target/row-target.js";
import { canView, replacesOnConflict, requireUserTable, type WriteContext } from "../target/write-access.js";
import { updateOperation } from "../update/update-row.js";
import { upsertOperation, upsertRoute } from "../upsert/upsert.js";
import { checkColumnsVersion } from "./columns-version.js";
import {
  irreversible,
  InverseRoom,
  reversibleInsert,
  reversibleRowWrite,
  type ReversibleOperation,
} from "./inverse.js";

const operationNames = ["insert", "upsert", "update", "delete"] as const;
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
  /** The reply contains the operations that undo the batch. */
  readonly wantsUndo: boolean;
}

/** Parses the body of a batch. @throws WriteRejected */
export function parseBatchRequest(document: JsonObject, maxOperations: number): BatchRequest {
  requireKnownMembers(document, ["operations", "dry_run", "undo"]);
  const operations = document.get("operations");
  if (!isList(operations)) throw new WriteRejected(['"operations" must be a list']);
  if (operations.length === 0) throw new WriteRejected(['"operations" must not be empty']);
  if (operations.length > maxOperations) {
    throw new WriteRejected([`Too many operations, maximum allowed is ${maxOperations}`]);
  }
  return {
    steps: operations.map(readStep),
    dryRun: truthy(document.get("dry_run")),
    wantsUndo: truthy(document.get("undo")),
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
  if (typeof table !== "string") throw new WriteRejected(['"table" must be a name']);
  if (operation.has("dry_run")) throw new WriteRejected(['"dry_run" belongs to the whole batch']);
  const own = [...operation].filter(([key]) => key !== "op" && key !== "table");
  return { op, table, document: new Map(own) };
}

/** An operation of a batch as a value: the route whose permissions and target it has, and how its body is prepared. */
interface OperationKind {
  readonly route: RouteFor<"table">;
  prepare(context: WriteContext, target: TableTarget, document: JsonObject): Promise<WriteOperation>;
}

const operationKinds: Readonly<Record<OperationName, OperationKind>> = {
  insert: { route: insertRoute, prepare: insertOperation },
  upsert: { route: upsertRoute, prepare: upsertOperation },
  update: {
    route: updateRowsRoute,
    prepare: async (context, target, document) => {
      if (!document.has("key")) return updateFiltered(context, target, { document, query: [] });
      requireKnownMembers(document, ["key", "update", "return", "alter", "if_match"]);
      const row = rowOf(target, document);
      return updateOperation(context, row, document, await conditionOf(context, row, document));
    },
  },
  delete: {
    route: deleteRowsRoute,
    prepare: async (context, target, document) => {
      if (!document.has("key")) return deleteFiltered(context, target, { document, query: [] });
      requireKnownMembers(document, ["key", "if_match"]);
      const row = rowOf(target, document);
      return deleteOperation(context, row, await conditionOf(context, row, document));
    },
  },
};

/** `if_match`: the version that the row must have, as in the header `If-Match`. @throws WriteRejected */
async function conditionOf(
  context: WriteContext,
  target: RowTarget,
  document: JsonObject,
): Promise<Precondition | null> {
  const given = document.get("if_match") ?? null;
  if (given === null) return null;
  if (typeof given !== "string") throw new WriteRejected(['"if_match" must be the version of a row']);
  return preconditionOf(context, target, given);
}

/** Prepares the operations of a batch on one database, each with the same checks as its own endpoint. */
export class BatchPreparation {
  readonly #context: WriteContext;
  readonly #database: string;
  readonly #targets = new Map<string, Promise<TableTarget>>();
  readonly #room: InverseRoom;

  constructor(context: WriteContext, database: string) {
    this.#context = context;
    this.#database = database;
    this.#room = new InverseRoom(context.rowhouse.setting("max_post_body_bytes"));
  }

  /** @throws WriteRejected, Forbidden, NotFound */
  async prepare(step: Step): Promise<WriteOperation> {
    const target = await this.#targetOf(operationKinds[step.op].route, step.table);
    return this.#prepareOn(target, step);
  }

  /** The same, with an inverse if there is one and the actor may view the table. */
  async prepareReversible(step: Step): Promise<ReversibleOperation> {
    const { op, document } = step;
    const target = await this.#targetOf(operationKinds[op].route, step.table);
    // An insert or update that replaces other rows has no inverse.
    const replaces = op !== "delete" && replacesOnConflict(target);
    if (op === "upsert" || replaces || !(await canView(this.#context, target)))
      return irreversible(await this.#prepareOn(target, step));
    if (op === "insert") {
      // The statement returns the rows, so that their keys are known.
      const returning = new Map([...document, ["return", true] as const]);
      const insert = await this.#prepareOn(target, { ...step, document: returning });
      return reversibleInsert(insert, this.#room, { target, document });
    }
    const operation = await this.#prepareOn(target, step);
    if (!document.has("key")) return irreversible(operation);
    return reversibleRowWrite(operation, this.#room, { op, target: rowOf(target, document), document });
  }

  /** @throws WriteRejected */
  async #prepareOn(target: TableTarget, { op, document }: Step): Promise<WriteOperation> {
    try {
      requireUserTable(target.table);
      const operation = await checkColumnsVersion(this.#context, target, document);
      return await operationKinds[op].prepare(this.#context, target, operation);
    } catch (error) {
      throw await redactKeyColumns(this.#context, target, error);
    }
  }

  /** Found once for all operations of one kind on one table. */
  #targetOf(route: RouteFor<"table">, resource: string): Promise<TableTarget> {
    const { rowhouse, actor } = this.#context;
    const key = `${route.name} ${resource}`;
    const found =
      this.#targets.get(key) ??
      rowhouse
        .authorizedTarget(route, { database: this.#database, resource }, actor)
        .catch((error: unknown) => this.#uniformRefusal(resource, error));
    this.#targets.set(key, found);
    return found;
  }

  /** Refusals differ by operation, so for a table that the actor may not view they would tell that it exists. */
  async #uniformRefusal(table: string, error: unknown): Promise<never> {
    const isHidden =
      error instanceof Forbidden && !(await canView(this.#context, { database: this.#database, table }));
    throw isHidden ? new Forbidden("Permission denied") : error;
  }
}

/** The row is looked up when the operation runs, because an earlier operation may insert it. */
const rowOf = (target: TableTarget, document: JsonObject): RowTarget => ({
  ...target,
  key: keyOf(target.table, document.get("key") ?? null),
});
