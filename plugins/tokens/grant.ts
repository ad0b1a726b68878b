import type { TokenGrants } from "rowhouse/plugin-api";

/** One action that a token is to allow: everywhere, in a database, or on one of its resources. */
export interface Grant {
  readonly action: string;
  readonly database: string | null;
  readonly resource: string | null;
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
