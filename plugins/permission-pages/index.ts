import { definePlugin } from "rowhouse/plugin-api";
import { actionsRoute } from "./actions.js";
import { allowDebugRoute } from "./allow-debug.js";
import { checkRoute } from "./check-page.js";
import { permissionsRoutes } from "./permissions-page.js";

/** Pages that show who may do what, and why. */
export default definePlugin({
  name: "permission-pages",
  register_routes: () => [...permissionsRoutes, checkRoute, actionsRoute, allowDebugRoute],
});
