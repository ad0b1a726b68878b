/** The names by which plugins import Rowhouse. */
const NAMES = [
  "rowhouse",
  "rowhouse/browser",
  "rowhouse/config",
  "rowhouse/plugin-api",
  "rowhouse/plugin-api/access",
  "rowhouse/plugin-api/contracts",
  "rowhouse/plugin-api/csv",
  "rowhouse/plugin-api/engine",
  "rowhouse/plugin-api/errors",
  "rowhouse/plugin-api/html",
  "rowhouse/plugin-api/http",
  "rowhouse/plugin-api/json",
  "rowhouse/plugin-api/kernel",
  "rowhouse/plugin-api/metadata",
  "rowhouse/plugin-api/names",
  "rowhouse/plugin-api/openapi",
  "rowhouse/plugin-api/sql",
  "rowhouse/plugins",
];

/** The addresses of the running modules of Rowhouse. In the bundle, `build/bundle.mjs` replaces this module. */
export const ownModules = (): ReadonlyMap<string, string> =>
  new Map(NAMES.map((name) => [name, import.meta.resolve(name)]));
