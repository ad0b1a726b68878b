import type { Route, Rowhouse } from "rowhouse/plugin-api";
import { nearNames } from "rowhouse/plugin-api/names";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The names in the path that the target of each kind is found by. */
const NAMES_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  instance: [],
  database: [":database"],
  table: [":database", ":resource"],
  query: [":database", ":resource"],
  row: [":database", ":resource", ":key"],
};

const BUNDLED_LOCATORS = ["tables", "queries"];

/** Why no request could ever reach the route; null for a route that requests can reach. */
export function routeMistake(rowhouse: Rowhouse, route: Route): string | null {
  const { method = "GET", path, target = "instance" } = route;
  const of = `of the route ${route.name ?? String(path)}`;
  if (!METHODS.includes(method))
    return `the method ${of} is ${String(method)}; it should be ${oneOf(METHODS)}`;
  if (typeof path === "string" && !path.startsWith("/")) return `the path ${of} should begin with /`;
  const needed = NAMES_BY_KIND[target];
  if (needed === undefined && !rowhouse.plugins.some(addsKinds))
    return `the target ${of} is ${String(target)}; it should be ${oneOf(Object.keys(NAMES_BY_KIND))}`;
  const missing = needed?.filter((name) => !namesIn(path).includes(name)) ?? [];
  if (missing.length === 0) return null;
  return `the path ${of} should contain ${missing.join(" and ")}, because its target is a ${target}`;
}

/** A plugin that finds resources can have kinds of its own. */
const addsKinds = ({ name, hooks }: Rowhouse["plugins"][number]): boolean =>
  hooks.includes("locate_resource") && !BUNDLED_LOCATORS.includes(name);

/** The kernel looks up no names of a RegExp. */
const namesIn = (path: string | RegExp): readonly string[] =>
  typeof path === "string" ? (path.match(/(?<=\/):\w+/g) ?? []) : [];

const oneOf = (texts: readonly string[]): string => `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;

/** A function that gets the permissions of a route, and warns once of each that no plugin registers: it is denied. */
export function unknownPermissions(
  { permissions, log }: Rowhouse,
  route: Route,
  author: string,
): (chain: unknown) => void {
  const warned = new Set<unknown>();
  return (chain) => {
    for (const [action] of Array.isArray(chain) ? (chain as readonly (readonly unknown[])[]) : []) {
      const name = String(action);
      if (permissions.registered.has(name) || warned.has(name)) continue;
      warned.add(name);
      const [near] = nearNames(name, permissions.registered.keys(), 1);
      const advice = near === undefined ? "" : `, did you mean ${near}?`;
      log.warn(
        `Plugin ${author}: the route ${route.name ?? String(route.path)} needs the permission ${name}, which no plugin registers${advice}`,
      );
    }
  };
}
