import type { Decision, Resource } from "rowhouse/plugin-api";
import { partsOf } from "./list-request.js";

/** What a plugin says about an action. */
export interface Rule {
  /** A database for all tables or queries in it, null for all resources. */
  readonly resource: Resource;
  readonly allowed: boolean;
  readonly because: string | null;
  /** Null for the registered default. */
  readonly plugin: string | null;
}

/**
 * The opinions in decisions on all resources, allowing ones first. Equal opinions of a plugin on all resources of a
 * database, or of several databases, are one.
 */
export function rulesIn(decisions: readonly Decision[]): readonly Rule[] {
  const places = decisions.map(({ resource }) => resource);
  const byOpinion = new Map<string, { readonly rule: Omit<Rule, "resource">; readonly places: Resource[] }>();
  for (const { resource, opinions } of decisions) {
    for (const { plugin, allowed, because } of opinions) {
      const key = JSON.stringify([plugin, allowed, because]);
      const known = byOpinion.get(key);
      if (known === undefined) byOpinion.set(key, { rule: { plugin, allowed, because }, places: [resource] });
      else known.places.push(resource);
    }
  }
  const counts = countsByDatabase(places);
  return [...byOpinion.values()]
    .flatMap(({ rule, places: own }) => joined(own, counts).map((resource): Rule => ({ resource, ...rule })))
    .toSorted(compareRules);
}

/** The resources, with those in place of which a database or everything can be named. */
function joined(resources: readonly Resource[], all: ReadonlyMap<string, number>): readonly Resource[] {
  const own = countsByDatabase(resources);
  const isComplete = (database: string): boolean => own.get(database) === all.get(database);
  if (all.size > 1 && [...all.keys()].every(isComplete)) return [null];
  const isJoined = (database: string): boolean => isComplete(database) && (all.get(database) ?? 0) > 1;
  return [
    ...[...own.keys()].filter(isJoined),
    ...resources.filter((resource) => !isJoined(partsOf(resource)[0] ?? "")),
  ];
}

function countsByDatabase(resources: readonly Resource[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    const database = partsOf(resource)[0] ?? "";
    counts.set(database, (counts.get(database) ?? 0) + 1);
  }
  return counts;
}

function compareRules(one: Rule, other: Rule): number {
  if (one.allowed !== other.allowed) return one.allowed ? -1 : 1;
  const [parent, child] = partsOf(one.resource);
  const [otherParent, otherChild] = partsOf(other.resource);
  return compareNames(parent, otherParent) || compareNames(child, otherChild);
}

/** Null, which means all names, comes first. */
function compareNames(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one < other ? -1 : 1;
}
