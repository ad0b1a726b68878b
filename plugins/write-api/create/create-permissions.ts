import {
  permissionChain,
  WriteRejected,
  type Actor,
  type Database,
  type Schema,
  type Table,
} from "rowhouse/plugin-api";
import { findByName } from "rowhouse/plugin-api/names";
import { requirePermission, requireUnrestrictedTable, type WriteContext } from "../target/write-access.js";
import type { CreatePermissions, CreateRequest } from "./create-request.js";

const REFUSALS = {
  "update-row": "Permission denied - need update-row",
  "insert-row": "Permission denied - need insert-row",
  "alter-table": "Permission denied: need alter-table",
} as const;

type Action = keyof typeof REFUSALS;

/** The permissions on the database that a request to create a table needs besides `create-table`. */
export function permissionsOnDatabase(visit: WriteContext, { name }: Database): CreatePermissions {
  const need = (action: Action) => () => requirePermission(visit, [action, name], REFUSALS[action]);
  return { updateRow: need("update-row"), insertRow: need("insert-row"), alterTable: need("alter-table") };
}

/** A request to create a table, and the schema to check it against. */
export interface CheckedRequest {
  readonly database: Database;
  readonly schema: Schema;
  readonly body: CreateRequest;
}

/**
 * Rows for a table that exists need the permissions on that table.
 *
 * A table that the actor may not view is rejected, even if the actor may write to it. So is a name that does not exist
 * and that the actor could not view: otherwise the replies would reveal which tables exist.
 *
 * @throws WriteRejected (403)
 */
export async function requireCreatePermissions(
  visit: WriteContext,
  { database, schema, body }: CheckedRequest,
): Promise<void> {
  const existing = findByName(schema.tables.values(), body.table);
  await requireViewable(visit, database, { name: body.table, exists: existing !== undefined });
  if (existing === undefined) return;
  if (existing.name !== body.table) {
    await requireViewable(visit, database, { name: existing.name, exists: true });
  }
  if (body.columns === null && existing.kind !== "view")
    await requireRowPermissions(visit, database, { existing, body });
  await requireUnrestrictedTable(visit, database, existing);
}

/**
 * Requires that the actor may view a table of this name. If the name does not exist, the restrictions of a token are
 * ignored: a token for `create-table` needs no other permission.
 *
 * @throws WriteRejected (403)
 */
export async function requireViewable(
  { rowhouse, actor }: WriteContext,
  database: Database,
  { name, exists }: { readonly name: string; readonly exists: boolean },
): Promise<void> {
  const chain = permissionChain({ database, table: name });
  if (await rowhouse.permissions.allowed(actor, chain)) return;
  if (!exists && (await rowhouse.permissions.allowed(withoutRestrictions(actor), chain))) return;
  throw new WriteRejected(["Permission denied - need view-table"], 403);
}

function withoutRestrictions(actor: Actor | null): Actor | null {
  if (actor === null) return null;
  const { _r, ...unrestricted } = actor;
  return unrestricted;
}

async function requireRowPermissions(
  visit: WriteContext,
  database: Database,
  { existing, body }: { readonly existing: Table; readonly body: CreateRequest },
): Promise<void> {
  const needed: readonly (Action | false)[] = [
    body.replace && "update-row",
    body.alter && "alter-table",
    "insert-row",
  ];
  for (const action of needed) {
    if (action === false) continue;
    await requirePermission(visit, [action, [database.name, existing.name]], REFUSALS[action]);
  }
}
