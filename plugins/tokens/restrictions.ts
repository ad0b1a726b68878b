import type { Actor, Permission, ReasonedOpinion, Resource } from "rowhouse/plugin-api";

/** What an actor's `_r` has to say about one action: a no, or nothing. It never grants. */
export type Restriction = (resource: Resource) => ReasonedOpinion | null;

/** What the restrictions are read with. */
export interface Vocabulary {
  readonly permissions: ReadonlyMap<string, Permission>;
  /** To see a table is to see its database's page and the home page as well. */
  readonly impliesParents: boolean;
}

/**
 * The restrictions of an actor, for one action; null for an actor without any.
 * Anything malformed in them grants nothing.
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

/** Which listed actions open the pages above them. */
const IMPLIED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ["view-instance", ["view-database", "view-table", "view-query", "execute-sql"]],
  ["view-database", ["view-table", "view-query", "execute-sql"]],
]);

/** The three lists of a `_r` value, read without trusting its shape. */
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

  /** Is one of these names listed for the resource itself, its database, or everywhere? */
  covers(names: readonly string[], resource: Resource): boolean {
    if (hasOne(this.#everywhere, names)) return true;
    if (resource === null) return false;
    const [database, name] = typeof resource === "string" ? [resource] : resource;
    if (hasOne(asList(own(this.#databases, database)), names)) return true;
    if (name === undefined) return false;
    return hasOne(asList(own(asBlock(own(this.#resources, database)), name)), names);
  }

  /** Is one of these names listed for the resource or for anything inside it? */
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

const asBlock = (value: unknown): Block =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Block) : {};

const own = (block: Block, key: string): unknown => (Object.hasOwn(block, key) ? block[key] : undefined);

const hasOne = (list: readonly unknown[], names: readonly string[]): boolean =>
  names.some((name) => list.includes(name));

function placeText(resource: Resource): string {
  if (resource === null) return "";
  return ` on ${typeof resource === "string" ? resource : resource.join("/")}`;
}
