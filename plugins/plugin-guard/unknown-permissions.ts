import { isObject, type Route, type Rowhouse } from "rowhouse/plugin-api";
import { nearNames } from "rowhouse/plugin-api/names";

/** A function that gets the permissions of a route, and warns once of each that no plugin registers: it is denied. */
export function unknownPermissions(
  rowhouse: Rowhouse,
  route: Route,
  plugin: string,
): (chain: unknown) => void {
  const seen = new Set<unknown>();
  return (chain) => {
    for (const [action] of Array.isArray(chain) ? (chain as readonly (readonly unknown[])[]) : []) {
      if (seen.has(action)) continue;
      seen.add(action);
      const who = `Plugin ${plugin}: the route ${route.name ?? String(route.path)} needs`;
      warnIfUnknown(rowhouse, who, String(action));
    }
  };
}

/** Warns of hook functions of definitions that are only for permissions that no plugin registers: they are never called. */
export function warnOfUnknownActions(rowhouse: Rowhouse): void {
  for (const { plugin } of rowhouse.plugins) {
    for (const [hook, tapped] of Object.entries(plugin)) {
      if (!isObject(tapped) || !isObject(tapped["only"]) || !Array.isArray(tapped["only"]["actions"]))
        continue;
      for (const action of tapped["only"]["actions"])
        warnIfUnknown(rowhouse, `Plugin ${plugin.name}: ${hook} is only for`, String(action));
    }
  }
}

function warnIfUnknown({ permissions, log }: Rowhouse, who: string, name: string): void {
  if (permissions.registered.has(name)) return;
  const [near] = nearNames(name, permissions.registered.keys(), 1);
  const advice = near === undefined ? "" : `, did you mean ${near}?`;
  log.warn(`${who} the permission ${name}, which no plugin registers${advice}`);
}
