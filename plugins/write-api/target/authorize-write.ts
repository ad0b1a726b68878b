import { WriteRejected } from "rowhouse/plugin-api";
import type { Chain, Database, Resource, Visit } from "rowhouse/plugin-api";

export type WriteVisit = Visit<"instance">;

/** What a request wants to write to, and the permissions that it needs. */
export interface AccessRequest<Found> {
  /** All of these permissions are required. */
  readonly actions: readonly string[];
  readonly resource: Resource;
  /** An actor with this permission may learn what exists. */
  readonly viewChain: Chain;
  readonly deniedMessage: string;
  /** @throws NotFound and the like */
  locate(): Promise<Found>;
}

/**
 * Finds the target of a write for an actor who may write to it. Actors who may neither write nor view get the same
 * 403, whether the target exists or not.
 *
 * @throws NotFound and whatever else `locate` throws
 * @throws WriteRejected (403)
 */
export async function authorizeWrite<Found>(
  visit: WriteVisit,
  request: AccessRequest<Found>,
): Promise<Found> {
  const allowed = await isAllowedAll(visit, request.actions, request.resource);
  if (!allowed && !(await visit.rowhouse.permissions.allowed(visit.actor, request.viewChain))) {
    throw forbidden(request.deniedMessage);
  }
  const found = await request.locate();
  if (!allowed) throw forbidden(request.deniedMessage);
  return found;
}

/** @throws WriteRejected (403) unless the actor may do `action` */
export async function requirePermission(
  { rowhouse, actor }: WriteVisit,
  [action, resource]: readonly [action: string, resource: Resource],
  refusal: string,
): Promise<void> {
  if (!(await rowhouse.permissions.allowed(actor, action, resource))) throw forbidden(refusal);
}

async function isAllowedAll(
  { rowhouse, actor }: WriteVisit,
  actions: readonly string[],
  resource: Resource,
): Promise<boolean> {
  for (const action of actions) {
    if (!(await rowhouse.permissions.allowed(actor, action, resource))) return false;
  }
  return true;
}

/** @throws WriteRejected (403) */
export function requireMutable(database: Database): void {
  if (!database.mutable) throw forbidden("Database is immutable");
}

const forbidden = (message: string): WriteRejected => new WriteRejected([message], 403);
