import { bundledSettings, definePlugin } from "rowhouse/plugin-api";
import type { Rowhouse } from "rowhouse/plugin-api";
import { asRootRoutes, AUTH_TOKEN_PATH, authTokenRoute, logoutRoutes, OneTimeLink } from "./pages.js";

/** Signs in as root with a one-time link (`--root`), and signs out. */
export default definePlugin({
  name: "login",
  deterministic: true,
  unguarded: true,
  provides: ["login"],
  requires: ["sessions"],
  optional: ["events", "messages"],
  apply: (rowhouse) => {
    if (rowhouse.option("root") === true) links.set(rowhouse, new OneTimeLink());
    const token = links.get(rowhouse)?.token;
    rowhouse.provide("login", {
      rootUrlPath: () => (token === undefined ? null : `${AUTH_TOKEN_PATH}?token=${token}`),
    });
  },
  settings: bundledSettings.login,
  register_routes: (rowhouse) => [
    authTokenRoute(links.get(rowhouse) ?? null),
    ...logoutRoutes,
    ...asRootRoutes(rowhouse),
  ],
});

/** The link of each server that was started with `--root`. */
const links = new WeakMap<Rowhouse, OneTimeLink>();
