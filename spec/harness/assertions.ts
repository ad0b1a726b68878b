import { AssertionError } from "node:assert";
import type { Actor, Resource, Rowhouse } from "rowhouse/plugin-api";
import type { EventName, TrackedEvent } from "rowhouse/plugin-api/contracts";
import { actorOf } from "./requests.js";

/** What specs claim about an instance; each throws an `AssertionError` that says what was the case instead. */
export interface Assertions {
  /** The actor (an id, an actor, null for anonymous) may do this; else says who was against it, and why. */
  assertAllowed(actor: Actor | string | null, action: string, resource?: Resource): Promise<void>;
  assertRefused(actor: Actor | string | null, action: string, resource?: Resource): Promise<void>;
  /**
   * An event of this name happened, with at least these members.
   *
   * @returns the first that fits
   */
  assertEvent<Name extends EventName>(
    name: Name,
    members?: Partial<TrackedEvent & { readonly name: Name }>,
  ): TrackedEvent & { readonly name: Name };
  assertNoEvent(name: EventName): void;
}

/** @param events those that happened so far; may grow */
export const assertionsOn = (rowhouse: Rowhouse, events: readonly TrackedEvent[]): Assertions => ({
  assertAllowed: (actor, action, resource = null) =>
    assertDecision(rowhouse, { actor, action, resource, expected: true }),
  assertRefused: (actor, action, resource = null) =>
    assertDecision(rowhouse, { actor, action, resource, expected: false }),
  assertEvent: <Name extends EventName>(name: Name, members: object = {}) => {
    const found = events.find((event) => event.name === name && holds(event, members));
    if (found !== undefined) return found as TrackedEvent & { readonly name: Name };
    throw claim(`The event ${name} with ${JSON.stringify(members)} did not happen`, events);
  },
  assertNoEvent: (name) => {
    const found = events.filter((event) => event.name === name);
    if (found.length > 0) throw claim(`The event ${name} happened`, found);
  },
});

interface Claim {
  readonly actor: Actor | string | null;
  readonly action: string;
  readonly resource: Resource;
  readonly expected: boolean;
}

async function assertDecision(
  rowhouse: Rowhouse,
  { actor, action, resource, expected }: Claim,
): Promise<void> {
  if (!rowhouse.permissions.registered.has(action))
    throw new AssertionError({ message: `No permission is named ${action}` });
  const decision = await rowhouse.permissions.decide(
    actor === null ? null : actorOf(actor),
    action,
    resource,
  );
  if (decision.allowed === expected) return;
  const opinions = decision.opinions.map(
    ({ plugin, allowed, because }) =>
      `${plugin} says ${allowed ? "yes" : "no"}${because === null ? "" : `: ${because}`}`,
  );
  const reasons =
    opinions.length > 0 ? opinions.join("; ") : "no plugin has an opinion, and the default is no";
  const about = resource === null ? "" : ` on ${JSON.stringify(resource)}`;
  throw new AssertionError({
    message: `${action}${about} is ${expected ? "refused" : "allowed"} to ${JSON.stringify(actor)}: ${reasons}`,
    actual: decision.allowed,
    expected,
  });
}

/** As JSON tells them: dates and the like count by what they are written as. */
const holds = (event: TrackedEvent, members: object): boolean =>
  Object.entries(members).every(
    ([key, value]) =>
      JSON.stringify((event as object as Readonly<Record<string, unknown>>)[key]) === JSON.stringify(value),
  );

const claim = (message: string, events: readonly TrackedEvent[]): AssertionError => {
  const happened = events.map((event) => `\n  ${JSON.stringify(event)}`).join("");
  return new AssertionError({ message: `${message}; what did:${happened === "" ? " nothing" : happened}` });
};
