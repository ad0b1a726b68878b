import { isObject, type Actor, type Permission, type Resource, type Rowhouse } from "rowhouse/plugin-api";
import type { PermissionChecks, ReasonedOpinion } from "rowhouse/plugin-api/access";

/** The restrictions (`_r`) of an actor for one action: a denial, or no opinion. They never grant. */
export type Restriction = (resource: Resource) => ReasonedOpinion | null;

/** How restrictions are interpreted. */
export interface Vocabulary {
  readonly permissions: ReadonlyMap<string, Permission>;
  /** The setting `restrictions_imply_parents`. */
  readonly impliesParents: boolean;
}

/** The denials of the restrictions of an actor, by resource; null for an actor without restrictions. */
export function restrictedOpinions(
  rowhouse: Rowhouse,
  { actor, action, resources }: PermissionChecks,
): readonly (ReasonedOpinion | null)[] | null {
  const opinionOn = restrictionOf(actor, action, {
    permissions: rowhouse.permissions.registered,
    impliesParents: rowhouse.setting("restrictions_imply_parents"),
  });
  return opinionOn === null ? null : resources.map(opinionOn);
}

/**
 * The restrictions of an actor for one action; null for an actor without restrictions. Malformed parts are ignored.
 */
export function restrictionOf(
  actor: Actor | null,
  action: string,
  { permissions, impliesParents }: Vocabulary,
): Restriction | null {
  if (actor === null || !Object.hasOwn(actor, "_r")) return null;
  const listed = new AllowList(actor["_r"]);
  const abbreviated = (name: string): readonly string[] => {
    const abbr = permissions.get(name)?.abbr;
    return abbr === null || abbr === undefined || abbr === "" ? [name] : [name, abbr];
  };
  const wanted = abbreviated(action);
  const implying = impliesParents ? (IMPLIED_BY.get(action) ?? []).flatMap(abbreviated) : [];
  return (resource) => {
    if (listed.covers(wanted, resource)) return null;
    if (implying.length > 0 && listed.mentionsWithin(implying, resource)) return null;
    return { allowed: false, because: `restricted to a list without ${action}${placeText(resource)}` };
  };
}

/** The listed actions that imply an action on a parent. */
const IMPLIED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ["view-instance", ["view-database", "view-table", "view-query", "execute-sql"]],
  ["view-database", ["view-table", "view-query", "execute-sql"]],
]);

/** The three lists of a `_r` value, which may be malformed. */
class AllowList {
  readonly #everywhere: readonly unknown[];
  readonly #databases: Block;
  readonly #resources: Block;

  constructor(restrictions: unknown) {
    const block = asBlock(restrictions);
    this.#everywhere = asList(own(block, "a"));
    this.#databases = asBlock(own(block, "d"));
    this.#resources = asBlock(own(block, "r"));
  }

  /** True if one of these names is listed for the resource, its database, or everywhere. */
  covers(names: readonly string[], resource: Resource): boolean {
    if (hasOne(this.#everywhere, names)) return true;
    if (resource === null) return false;
    const [database, name] = typeof resource === "string" ? [resource] : resource;
    if (hasOne(asList(own(this.#databases, database)), names)) return true;
    if (name === undefined) return false;
    return hasOne(asList(own(asBlock(own(this.#resources, database)), name)), names);
  }

  /** True if one of these names is listed for the resource or anything in it. */
  mentionsWithin(names: readonly string[], resource: Resource): boolean {
    if (this.covers(names, resource)) return true;
    if (resource !== null && typeof resource !== "string") return false;
    const databases =
      resource === null ? [...Object.keys(this.#databases), ...Object.keys(this.#resources)] : [resource];
    return databases.some(
      (database) =>
        this.covers(names, database) ||
        Object.values(asBlock(own(this.#resources, database))).some((list) => hasOne(asList(list), names)),
    );
  }
}

type Block = Readonly<Record<string, unknown>>;

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const asBlock = (value: unknown): Block => (isObject(value) ? value : {});

const own = (block: Block, key: string): unknown => (Object.hasOwn(block, key) ? block[key] : undefined);

const hasOne = (list: readonly unknown[], names: readonly string[]): boolean =>
  names.some((name) => list.includes(name));

function placeText(resource: Resource): string {
  if (resource === null) return "";
  return ` on ${typeof resource === "string" ? resource : resource.join("/")}`;
}
