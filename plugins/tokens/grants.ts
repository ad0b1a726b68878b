import type { TokenGrants } from "rowhouse/plugin-api/contracts";

/** An action that a token allows: everywhere, in a database, or on one resource. */
export interface Grant {
  readonly action: string;
  readonly database: string | null;
  readonly resource: string | null;
}

/** A checkbox of the form. */
export interface Box {
  /** `all`, `database:DB` or `resource:DB:NAME`, with encoded names. */
  readonly prefix: string;
  /** `DB` and `NAME`. */
  readonly names: readonly string[];
  readonly action: string;
}

const NAMES_BY_KIND: ReadonlyMap<string, number> = new Map([
  ["all", 0],
  ["database", 1],
  ["resource", 2],
]);

/** Splits the name of a checkbox; null for any other field. Only actions contain colons: names are encoded. */
export function readBox(field: string): Box | null {
  const parts = field.split(":");
  const count = NAMES_BY_KIND.get(parts[0] ?? "");
  if (count === undefined || parts.length < count + 2) return null;
  const [names, action] = [parts.slice(1, count + 1), parts.slice(count + 1).join(":")];
  return { prefix: parts.slice(0, count + 1).join(":"), names, action };
}

/** The three lists of a token's restrictions, actions in the order they were granted. */
export function collectGrants(grants: readonly Grant[]): TokenGrants {
  const everywhere: string[] = [];
  const databases = new Map<string, string[]>();
  const resources = new Map<string, Map<string, string[]>>();
  for (const { action, database, resource } of grants) {
    if (database === null) everywhere.push(action);
    else if (resource === null) entry(databases, database, () => []).push(action);
    else
      entry(
        entry(resources, database, () => new Map<string, string[]>()),
        resource,
        () => [],
      ).push(action);
  }
  return {
    restrictAll: everywhere,
    restrictDatabase: Object.fromEntries(databases),
    restrictResource: Object.fromEntries(
      [...resources].map(([database, byResource]) => [database, Object.fromEntries(byResource)]),
    ),
  };
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** The other actions that a request needs. Restrictions do not imply actions: each must be granted. */
const NEEDED_WITH: ReadonlyMap<string, readonly string[]> = new Map([
  ["view-database", ["view-instance"]],
  ["view-database-download", ["view-database", "view-instance"]],
  ["view-table", ["view-database", "view-instance"]],
  ["view-query", ["view-database", "view-instance"]],
  ["execute-sql", ["view-database", "view-instance"]],
  ["execute-write-sql", ["view-table", "view-database", "view-instance"]],
]);

/** An action of a token that needs other actions, which the token does not allow. */
export interface MissingGrants {
  readonly action: string;
  /** In the order in which they are checked. */
  readonly missing: readonly Grant[];
}

/** Finds actions that the grants need in addition. Abbreviations are not recognized. */
export function missingGrants(grants: readonly Grant[]): readonly MissingGrants[] {
  const found = new Map<string, MissingGrants>();
  for (const grant of grants) {
    const missing = (NEEDED_WITH.get(grant.action) ?? [])
      .map((action) => ({ action, database: scopeOf(action, grant), resource: null }))
      .filter((needed) => !grants.some((given) => covers(given, needed)));
    const key = JSON.stringify([grant.action, missing]);
    if (missing.length > 0) found.set(key, { action: grant.action, missing });
  }
  return [...found.values()];
}

/** The narrowest scope that serves the grant; only the whole instance has the permission view-instance. */
const scopeOf = (action: string, { database }: Grant): string | null =>
  action === "view-instance" ? null : database;

/** A grant for one database makes an action that is granted everywhere useful in that database. */
function covers(given: Grant, needed: Grant): boolean {
  if (given.action !== needed.action || given.resource !== null) return false;
  if (given.database === null || given.database === needed.database) return true;
  return needed.database === null && needed.action !== "view-instance";
}

/** `-d docs view-database`, as the command line takes it. */
export const grantOption = ({ action, database }: Grant): string =>
  database === null ? `-a ${action}` : `-d ${database} ${action}`;
