import { Forbidden, permissionChain, type Actor, type Rowhouse, type Target } from "rowhouse/plugin-api";
import { ReadOnlyDatabase, TableNotFound } from "rowhouse/plugin-api/errors";
import type { RouteMatch } from "./router.js";

/** Looks up the target of the names in a path. */
export type Locate = (names: RouteMatch["names"], forWrite?: boolean) => Promise<Target>;

/** A lookup that asks for each combination of names once. */
export function locator(rowhouse: Rowhouse, actor: Actor | null): Locate {
  const known: { database: unknown; name: string; key: unknown; target: Promise<Target | undefined> }[] = [];
  return async ({ database: databaseName, resource: name, key = null }, forWrite = false) => {
    if (databaseName === undefined) return { kind: "instance" };
    const database = rowhouse.database(databaseName);
    if (name === undefined) return { kind: "database", database };
    const before = known.find((one) => one.key === key && one.name === name && one.database === database);
    const args = { database, name, key, actor, forWrite };
    const target = before?.target ?? rowhouse.hooks.locate_resource.promise(rowhouse, args);
    if (before === undefined) known.push({ database, name, key, target });
    const located = await target;
    if (located === undefined) throw new TableNotFound(database.name, name);
    return located;
  };
}

/**
 * The target of a route, if the actor has the permissions of the route. Routes with `requires` are authorized by name
 * before the look-up: clients that may neither act nor view get the same reply for every name.
 *
 * @throws Forbidden, NotFound
 */
export async function authorizedTarget(
  rowhouse: Rowhouse,
  actor: Actor | null,
  { route, names }: Pick<RouteMatch, "route" | "names">,
  locate: Locate = locator(rowhouse, actor),
): Promise<Target> {
  const { permissions } = rowhouse;
  const { mutates, refusal, target: kind } = route;
  if (route.requires === undefined) {
    const target = await locate(names);
    await permissions.require(actor, route.permissions?.(target) ?? [], refusal);
    return target;
  }
  const answers = route.requires(names).map(([action, on]) => permissions.allowed(actor, action, on));
  const allowed = (await Promise.all(answers)).every(Boolean);
  const chain = route.visibleWith?.(names) ?? permissionChain(names);
  if (!allowed && !(await permissions.allowed(actor, chain))) throw denied(refusal);
  const named = kind === "database" ? { database: names.database ?? "" } : names;
  const target = await locate(kind === "instance" ? {} : named, mutates && (route.method ?? "GET") !== "GET");
  if (target.kind !== kind) throw new TableNotFound(names.database ?? "", names.resource ?? "");
  await route.verify?.({ rowhouse, actor, target, names });
  if (!allowed) throw denied(refusal);
  if (mutates === true && "database" in target && !target.database.mutable) throw new ReadOnlyDatabase();
  return target;
}

const denied = (refusal = "Permission denied"): Forbidden => new Forbidden(refusal);
