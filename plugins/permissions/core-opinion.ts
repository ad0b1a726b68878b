import type {
  Actor,
  CannedQuery,
  Metadata,
  Opinion,
  PermissionChecks,
  Resource,
  Rowhouse,
} from "rowhouse/plugin-api";
import { allowRule } from "./allow-blocks.js";
import { permissionBlocksRule } from "./permission-blocks.js";
import { rootRule } from "./root.js";
import { databaseOf } from "./rule.js";
import type { Rule } from "./rule.js";

/** Rowhouse's own opinion on one question: root's favours, then allow blocks, then permissions blocks. */
export async function coreOpinion(
  rowhouse: Rowhouse,
  actor: Actor | null,
  action: string,
  resource: Resource,
): Promise<Opinion | null> {
  const [opinion] = await coreOpinions(rowhouse, { actor, action, resources: [resource] });
  return opinion ?? null;
}

/** The same about many resources, in their order. */
export async function coreOpinions(
  rowhouse: Rowhouse,
  { actor, action, resources }: PermissionChecks,
): Promise<(Opinion | null)[]> {
  const metadata = rowhouse.serviceIfAny("metadata")?.current() ?? NO_METADATA;
  const queries = action === "view-query" ? await queriesOf(rowhouse, actor, resources) : NO_QUERIES;
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
  actor: Actor | null,
  resources: readonly Resource[],
): Promise<QueriesByDatabase> {
  const service = rowhouse.serviceIfAny("queries");
  if (service === null) return NO_QUERIES;
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
};
