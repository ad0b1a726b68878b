import type { TokenGrants } from "../contracts/tokens.js";
import type { Actor } from "./permissions.js";

/** The member `_r` of an actor, which may do only what is listed: actions by where they are allowed. */
export interface TokenRestrictions {
  /** Everywhere. */
  readonly a?: readonly string[];
  /** By database. */
  readonly d?: Readonly<Record<string, readonly string[]>>;
  /** By database and resource. */
  readonly r?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/**
 * The actor of a token: what its grants do not list is denied. For token handlers of plugins.
 *
 * @example
 * restrictedActor({ id: "ann" }, { restrictAll: ["view-table"] }); // { id: "ann", _r: { a: ["view-table"] } }
 * restrictedActor({ id: "ann" }, {}); // { id: "ann" }
 */
export function restrictedActor(actor: Actor, grants: TokenGrants): Actor {
  const restrictions = restrictionsOf(grants);
  return restrictions === null ? actor : { ...actor, _r: restrictions };
}

/**
 * The restrictions of a token, for the member `_r` of its actor; null if it is not restricted.
 *
 * @example
 * restrictionsOf({ restrictDatabase: { library: ["view-table"] } }); // { d: { library: ["view-table"] } }
 * restrictionsOf({ expiresAfter: 60 }); // null
 * @param short shortens names of actions. Default: as they are
 * @throws TypeError for an unknown member: without a misspelt restriction, the token would allow everything
 */
export function restrictionsOf(
  grants: TokenGrants,
  short: (action: string) => string = (action) => action,
): TokenRestrictions | null {
  const unknown = Object.keys(grants).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined)
    throw new TypeError(`The grants of a token have no member ${unknown}. They have ${MEMBERS.join(", ")}`);
  const { restrictAll = [], restrictDatabase = {}, restrictResource = {} } = grants;
  // An empty list for a database still restricts the token. An empty `restrictAll` is none, as in Datasette.
  const isRestricted =
    grants.restricted === true ||
    restrictAll.length > 0 ||
    !isEmpty(restrictDatabase) ||
    !isEmpty(restrictResource);
  if (!isRestricted) return null;
  const shorten = (actions: readonly string[]): readonly string[] => actions.map(short);
  const byDatabase = mapValues(restrictDatabase, shorten);
  const byResource = mapValues(restrictResource, (resources) => mapValues(resources, shorten));
  return {
    ...(restrictAll.length > 0 && { a: shorten(restrictAll) }),
    ...(!isEmpty(byDatabase) && { d: byDatabase }),
    ...(!isEmpty(byResource) && { r: byResource }),
  };
}

const MEMBERS: readonly string[] = [
  "expiresAfter",
  "restrictAll",
  "restrictDatabase",
  "restrictResource",
  "restricted",
] satisfies readonly (keyof TokenGrants)[];

const isEmpty = (block: object): boolean => Object.keys(block).length === 0;

/** Maps the values of an object and leaves out empty results. */
const mapValues = <Value, Mapped extends object>(
  block: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Readonly<Record<string, Mapped>> =>
  // `fromEntries` also works for a database named `__proto__`.
  Object.fromEntries(
    Object.entries(block)
      .map(([key, value]) => [key, map(value)] as const)
      .filter(([, mapped]) => !isEmpty(mapped)),
  );
