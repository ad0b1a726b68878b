import { definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { keepOverReloads } from "rowhouse/plugin-api/kernel";
import { texts } from "./texts.js";
import { asRootRoutes, AUTH_TOKEN_PATH, authTokenRoute, logoutRoutes, OneTimeLink } from "./pages.js";

/** Signs in as root with a one-time link (`--root`), and signs out. */
export default definePlugin({
  name: "login",
  deterministic: true,
  unguarded: true,
  provides: ["login"],
  requires: ["sessions"],
  optional: ["events", "messages"],
  settings: bundledSettings.login,
  register_texts: () => texts,
  setup(rowhouse) {
    const link =
      rowhouse.option("root") === true
        ? keepOverReloads(rowhouse, "login: link", () => new OneTimeLink())
        : null;
    rowhouse.provide("login", {
      rootUrlPath: () => (link === null ? null : `${AUTH_TOKEN_PATH}?token=${link.token}`),
    });
    return { register_routes: () => [authTokenRoute(link), ...logoutRoutes, ...asRootRoutes(rowhouse)] };
  },
});
