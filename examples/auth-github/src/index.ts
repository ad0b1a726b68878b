import { definePlugin } from "rowhouse/plugin-api";
import { configOf } from "./config.js";
import { CALLBACK_PATH, finishSignIn } from "./finish-sign-in.js";
import { SIGN_IN_PATH, startSignIn } from "./start-sign-in.js";

/** Users sign in with their GitHub account. `allow` blocks can require logins and organisations. */
export default definePlugin({
  name: "auth-github",
  // Without a valid configuration no user could sign in, so the server does not start.
  startup: async (rowhouse) => void (await configOf(rowhouse)),
  register_routes: () => [
    // No permissions: clients that sign in are still anonymous.
    { name: "github-sign-in", path: SIGN_IN_PATH, target: "instance", view: startSignIn },
    { name: "github-callback", path: CALLBACK_PATH, target: "instance", view: finishSignIn },
  ],
  menu_links: (rowhouse, { actor }) =>
    actor === null ? { href: rowhouse.urls.path(SIGN_IN_PATH), label: "Sign in with GitHub" } : null,
});
