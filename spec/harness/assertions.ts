import { AssertionError } from "node:assert";
import type { Actor, Resource, Rowhouse } from "rowhouse/plugin-api";
import type { EventName, TrackedEvent } from "rowhouse/plugin-api/contracts";
import { actorOf } from "./requests.js";

/** Checks of a server. Each throws an `AssertionError` with the actual state. */
export interface Assertions {
  /** Checks that an actor (an id, an actor, or null) has a permission. The error names the plugins that denied it. */
  assertAllowed(actor: Actor | string | null, action: string, resource?: Resource): Promise<void>;
  assertRefused(actor: Actor | string | null, action: string, resource?: Resource): Promise<void>;
  /**
   * Checks that there was an event of this name with these members, and any others.
   *
   * @returns the first one
   */
  assertEvent<Name extends EventName>(
    name: Name,
    members?: Partial<TrackedEvent & { readonly name: Name }>,
  ): TrackedEvent & { readonly name: Name };
  assertNoEvent(name: EventName): void;
}

/** @param events those so far; later ones are added to this list */
export const assertionsOn = (rowhouse: Rowhouse, events: readonly TrackedEvent[]): Assertions => ({
  assertAllowed: (actor, action, resource = null) =>
    assertDecision(rowhouse, { actor, action, resource, expected: true }),
  assertRefused: (actor, action, resource = null) =>
    assertDecision(rowhouse, { actor, action, resource, expected: false }),
  assertEvent: <Name extends EventName>(name: Name, members: object = {}) => {
    const found = events.find((event) => event.name === name && hasMembers(event, members));
    if (found !== undefined) return found as TrackedEvent & { readonly name: Name };
    throw eventError(`There was no event ${name} with ${JSON.stringify(members)}`, events);
  },
  assertNoEvent: (name) => {
    const found = events.filter((event) => event.name === name);
    if (found.length > 0) throw eventError(`There was an event ${name}`, found);
  },
});

interface ExpectedDecision {
  readonly actor: Actor | string | null;
  readonly action: string;
  readonly resource: Resource;
  readonly expected: boolean;
}

async function assertDecision(
  rowhouse: Rowhouse,
  { actor, action, resource, expected }: ExpectedDecision,
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
      `${plugin} ${allowed ? "grants" : "denies"} it${because === null ? "" : `: ${because}`}`,
  );
  const reasons =
    opinions.length > 0 ? opinions.join("; ") : "no plugin has an opinion, and the default is to deny it";
  const about = resource === null ? "" : ` on ${JSON.stringify(resource)}`;
  throw new AssertionError({
    message: `${JSON.stringify(actor)} ${expected ? "does not have" : "has"} the permission ${action}${about}: ${reasons}`,
    actual: decision.allowed,
    expected,
  });
}

/** Compares members as JSON, so that equal dates are equal. */
const hasMembers = (event: TrackedEvent, members: object): boolean =>
  Object.entries(members).every(
    ([key, value]) =>
      JSON.stringify((event as object as Readonly<Record<string, unknown>>)[key]) === JSON.stringify(value),
  );

const eventError = (message: string, events: readonly TrackedEvent[]): AssertionError => {
  const lines = events.map((event) => `\n  ${JSON.stringify(event)}`).join("");
  return new AssertionError({ message: `${message}. Events: ${lines === "" ? "none" : lines}` });
};
