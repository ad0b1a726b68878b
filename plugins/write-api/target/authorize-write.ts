import { WriteRejected } from "rowhouse/plugin-api";
import type { Chain, Database, Resource, Visit } from "rowhouse/plugin-api";

export type WriteVisit = Visit<"instance">;

/** What somebody wants to write to, and may or may not. */
export interface AccessRequest<Found> {
  /** All of these are needed. */
  readonly actions: readonly string[];
  readonly resource: Resource;
  /** Who passes this may know what exists. */
  readonly view: Chain;
  readonly refusal: string;
  /** @throws NotFound and the like */
  locate(): Promise<Found>;
}

/**
 * Finds what is aimed at, for somebody who may write there. To those who may neither write nor view, what exists
 * and what does not look the same.
 *
 * @throws NotFound and whatever else `locate` throws
 * @throws WriteRejected (403)
 */
export async function authorizeWrite<Found>(visit: WriteVisit, aim: AccessRequest<Found>): Promise<Found> {
  const allowed = await mayAll(visit, aim.actions, aim.resource);
  if (!allowed && !(await visit.rowhouse.permissions.allowed(visit.actor, aim.view))) {
    throw forbidden(aim.refusal);
  }
  const found = await aim.locate();
  if (!allowed) throw forbidden(aim.refusal);
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

async function mayAll(
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
