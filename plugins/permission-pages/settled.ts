import type { Actor, Decision, Resource } from "rowhouse/plugin-api";
import type { Permissions } from "rowhouse/plugin-api/access";
import { stepsAbove } from "./page-steps.js";

/** What is decided for whom. */
interface Question {
  readonly actor: Actor | null;
  readonly action: string;
}

/** A resource with the decision that settles an action on it. */
export interface Settled {
  readonly resource: Resource;
  /** For actions that guard pages it can be that of a further step of the permission chain, on another resource. */
  readonly decision: Decision;
}

/**
 * Decides an action on many resources. For actions that guard pages, the first step of the permission chain with an
 * opinion decides; without opinions the default of the action.
 */
export async function settledDecisions(
  permissions: Permissions,
  { actor, action }: Question,
  resources: readonly Resource[],
): Promise<readonly Settled[]> {
  const decisions = await permissions.decideMany(actor, action, resources);
  const above = new Map<string, Promise<Decision | null>>();
  const settled = decisions.map(async (decision): Promise<Settled> => {
    const { resource } = decision;
    if (decision.opinion !== null) return { resource, decision };
    // The further steps are the same for everything in a database.
    const database = typeof resource === "string" ? resource : (resource?.[0] ?? "");
    const known = above.get(database) ?? settledAbove(permissions, decision);
    above.set(database, known);
    return { resource, decision: (await known) ?? decision };
  });
  return Promise.all(settled);
}

/** The first decision with an opinion in the further steps of the chain of a page. */
async function settledAbove(
  permissions: Permissions,
  { actor, action, resource }: Decision,
): Promise<Decision | null> {
  for (const [next, place] of stepsAbove(action, resource) ?? []) {
    const decision = await permissions.decide(actor, next, place);
    if (decision.opinion !== null) return decision;
  }
  return null;
}
