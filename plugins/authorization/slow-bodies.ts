import { Forbidden, type RouteFor, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import { currentActor } from "rowhouse/plugin-api/access";
import { afterSlowBody, type TargetKind } from "rowhouse/plugin-api/http";

/**
 * Checks the actor and the permissions of the route again after a body that arrived slowly. Meanwhile its token may have
 * expired or been revoked, or its actor may have lost a permission.
 */
export function checkAfterSlowBody(_rowhouse: Rowhouse, { visit }: { readonly visit: Visit }): void {
  if (visit.request.method !== "GET") afterSlowBody(visit.request, () => requireStillAllowed(visit));
}

/** @throws Forbidden */
async function requireStillAllowed(visit: Visit): Promise<void> {
  const { requires, permissions, refusal = "Permission denied" } = visit.route as RouteFor<TargetKind>;
  const actor = await currentActor(visit);
  if (actor?.id !== visit.actor?.id) throw new Forbidden(refusal);
  // Of `requires` all are needed. The first opinion on a chain decides.
  const chains = requires?.(visit.names).map((step) => [step]) ?? [permissions?.(visit.target) ?? []];
  for (const chain of chains) await visit.rowhouse.permissions.require(actor, chain, refusal);
}
