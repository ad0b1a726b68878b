import type {
  Awaitable,
  CannedQuery,
  Metadata,
  Opinion,
  PermissionCheck,
  PermissionChecks,
  Resource,
  Rowhouse,
  Services,
} from "rowhouse/plugin-api";
import { allowRule } from "./allow-blocks.js";
import { permissionBlocksRule } from "./permission-blocks.js";
import { rootRule } from "./root.js";
import { databaseOf } from "./rule.js";
import type { Rule } from "./rule.js";

/**
 * Rowhouse's own opinion on one question: root's favours, then allow blocks, then permissions blocks.
 * At once wherever possible: pages ask hundreds of questions.
 */
export function coreOpinion(
  rowhouse: Rowhouse,
  { actor, action, resource }: PermissionCheck,
): Awaitable<Opinion | null> {
  const opinions = coreOpinions(rowhouse, { actor, action, resources: [resource] });
  if (opinions instanceof Promise) return opinions.then(([opinion = null]) => opinion);
  return opinions[0] ?? null;
}

/** The same about many resources, in their order. */
export function coreOpinions(
  rowhouse: Rowhouse,
  checks: PermissionChecks,
): Awaitable<readonly (Opinion | null)[]> {
  const service = rowhouse.serviceIfAny("queries");
  if (checks.action !== "view-query" || service === null) return opinionsOf(rowhouse, checks, NO_QUERIES);
  return queriesOf(rowhouse, service, checks).then((queries) => opinionsOf(rowhouse, checks, queries));
}

function opinionsOf(
  rowhouse: Rowhouse,
  { actor, action, resources }: PermissionChecks,
  queries: QueriesByDatabase,
): readonly (Opinion | null)[] {
  const metadata = rowhouse.serviceIfAny("metadata")?.current() ?? NO_METADATA;
  const rules = [
    rootRule(actor, action, rowhouse.option("defaultDeny") === true && rowhouse.option("root") === true),
    allowRule(actor, action, {
      metadata,
      databases: rowhouse.databases,
      queries: (database) => queries.get(database) ?? null,
    }),
    permissionBlocksRule(actor, action, metadata),
  ].filter((rule) => rule !== null);
  return resources.map((resource) => firstOpinion(rules, resource));
}

function firstOpinion(rules: readonly Rule[], resource: Resource): Opinion | null {
  for (const rule of rules) {
    const opinion = rule(resource);
    if (opinion !== null) return opinion;
  }
  return null;
}

type QueriesByDatabase = ReadonlyMap<string, ReadonlyMap<string, CannedQuery>>;

async function queriesOf(
  rowhouse: Rowhouse,
  service: Services["queries"],
  { actor, resources }: PermissionChecks,
): Promise<QueriesByDatabase> {
  const names = new Set(resources.map(databaseOf).filter((name) => name !== null));
  const known = [...names].filter((name) => rowhouse.databases.has(name));
  return new Map(
    await Promise.all(known.map(async (name) => [name, await service.cannedQueries(name, actor)] as const)),
  );
}

const NO_QUERIES: QueriesByDatabase = new Map();

/** What stands in where nobody provides metadata. */
const NO_METADATA: Metadata = {
  document: {},
  database: () => ({}),
  table: () => ({}),
  queries: () => ({}),
  source: "metadata",
  placeOf: () => "metadata",
};
