import { acceptsWrites } from "rowhouse/plugin-api/engine";
import type { DescribedTable, JsonSchema, Parameter } from "rowhouse/plugin-api/openapi";

/** The permissions that writes to a table need. */
export const WRITE_ACTIONS = ["insert-row", "update-row", "delete-row", "alter-table", "drop-table"] as const;
export type WriteAction = (typeof WRITE_ACTIONS)[number];

/** Changes to a whole table, which need an actor from whom no row or column is hidden. */
const OF_WHOLE_TABLE: ReadonlySet<WriteAction> = new Set(["alter-table", "drop-table"]);

/** True if the actor has the permission, and the table and its database accept writes. */
export const mayWrite = (
  { database, table, restricted, may }: DescribedTable,
  action: WriteAction,
): boolean =>
  database.mutable && acceptsWrites(table) && !(restricted && OF_WHOLE_TABLE.has(action)) && may(action);

/** The headers of writes, by the name of their component. */
export const headers: Readonly<Record<string, Parameter>> = {
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "A write that is sent again under its key is not done again; its answer is",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
};

export const FLAG = { type: "boolean" };
export const TEXT = { type: "string" };
export const NAMES = { type: "array", items: TEXT };
/** A member of all bodies that can be tried. */
export const DRY_RUN = { ...FLAG, description: "Only try" };

/** The schema of a body with these members only. */
export const body = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
  additionalProperties: false,
});
