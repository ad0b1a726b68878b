import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { actionsRoute } from "./actions.js";
import { allowDebugRoute } from "./allow-debug.js";
import { allowedRoute } from "./allowed-page.js";
import { checkRoute } from "./check-page.js";
import { permissionsRoutes } from "./permissions-page.js";
import { rulesRoute } from "./rules-page.js";
import { texts } from "./texts.js";

/** Pages that show permissions, decisions and the reasons for them. */
export default definePlugin({
  name: "permission-pages",
  deterministic: true,
  unguarded: true,
  optional: ["browse", "queries"],
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ module: "question-form.js" }, ({ viewName }) => PAGES_WITH_FORM.has(viewName)),
  register_routes: () => [
    ...permissionsRoutes,
    checkRoute,
    allowedRoute,
    rulesRoute,
    actionsRoute,
    allowDebugRoute,
  ],
  describe_api: async () => (await import("./openapi.js")).api,
});

const PAGES_WITH_FORM: ReadonlySet<string> = new Set([
  "permissions_debug",
  "permission_check",
  "permission_allowed",
  "permission_rules",
]);
