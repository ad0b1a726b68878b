import type { Rowhouse } from "./rowhouse.js";

/**
 * State that survives a reload of the configuration, in which another kernel takes the place of the running one. Returns
 * what the kernel before has kept under this name, or makes it. Without a server that reloads, it is always made.
 *
 * @param name begins with the name of the plugin
 * @param make returns plain data: after a reload, a plugin may have other code
 * @example
 * // The same object after a reload.
 * const visits = keepOverReloads(rowhouse, "counter: visits", () => ({ count: 0 }));
 */
export const keepOverReloads = <State>(rowhouse: Rowhouse, name: string, make: () => State): State =>
  rowhouse.option("keep")?.(name, make) ?? make();

declare module "./rowhouse.js" {
  interface Options {
    /** Only for servers that reload: see `keepOverReloads`. */
    keep: <State>(name: string, make: () => State) => State;
  }
}
