import { actorMatches, keyText } from "rowhouse/plugin-api";
import type { Actor, KeyPath, MetadataBlock, ReasonedOpinion, Resource } from "rowhouse/plugin-api";

/** One source of opinions, already told who asks and for what; null is no opinion. */
export type Rule = (resource: Resource) => ReasonedOpinion | null;

/** The same within one database: `name` is that of a table, view or query in it, null for the database itself. */
export type RuleWithin = (name: string | null) => ReasonedOpinion | null;

/** Made once for each database: lists ask about thousands of tables of a few. No opinion on the instance. */
export function perDatabase(ruleOf: (database: string) => RuleWithin): Rule {
  const rules = new Map<string, RuleWithin>();
  return (resource) => {
    if (resource === null) return null;
    const [database, name] = typeof resource === "string" ? [resource, null] : resource;
    let rule = rules.get(database);
    if (rule === undefined) {
      rule = ruleOf(database);
      rules.set(database, rule);
    }
    return rule(name);
  };
}

/** The opinion that a block of the metadata makes of an actor. */
export const blockOpinion = (
  actor: Actor | null,
  block: unknown,
  path: KeyPath,
  source: string,
): ReasonedOpinion => new BlockOpinion(actorMatches(actor, block), path, source);

/** Most reasons are never read. */
class BlockOpinion implements ReasonedOpinion {
  constructor(
    readonly allowed: boolean,
    private readonly path: KeyPath,
    private readonly source: string,
  ) {}

  get because(): string {
    return `${keyText(this.path)} in ${this.source} ${this.allowed ? "matches" : "does not match"}`;
  }
}

/** The value of an own key, undefined where there is none: metadata is data, its keys may be called anything. */
export const ownValue = (block: MetadataBlock, key: string): unknown =>
  Object.hasOwn(block, key) ? block[key] : undefined;

/** The database a resource lies in, or is. */
export const databaseOf = (resource: Resource): string | null =>
  typeof resource === "string" ? resource : (resource?.[0] ?? null);

/** True for what JSON calls an object. */
export const isBlock = (value: unknown): value is MetadataBlock =>
  typeof value === "object" && value !== null && !Array.isArray(value);
