import type { Route, Rowhouse } from "rowhouse/plugin-api";

/** The first plugin of each method and path. */
const plugins = new WeakMap<Rowhouse, Map<string, string>>();

/** Warns of a route that is never called, because an installed plugin has one of the same method and path before it. */
export function warnIfHidden(rowhouse: Rowhouse, route: Route, plugin: string): void {
  if (route.when !== undefined) return;
  const known = plugins.get(rowhouse) ?? new Map<string, string>();
  plugins.set(rowhouse, known);
  const address = `${route.method ?? "GET"} ${String(route.path)}`;
  const first = known.get(address);
  if (first === undefined) known.set(address, plugin);
  else
    rowhouse.log.warn(
      `Plugin ${plugin}: its route ${address} is never called: the plugin ${first} has the same route before it`,
    );
}
