import { definePlugin } from "rowhouse/plugin-api";
import { configOf } from "./config.js";
import { CALLBACK_PATH, finishSignIn } from "./finish-sign-in.js";
import { SIGN_IN_PATH, startSignIn } from "./start-sign-in.js";

/** People sign in with their GitHub account; `allow` blocks may then ask for logins and organisations. */
export default definePlugin({
  name: "auth-github",
  // A server that can't sign anybody in should not start as if it could.
  startup: async (rowhouse) => void (await configOf(rowhouse)),
  register_routes: () => [
    // No permissions: whoever signs in is nobody yet, and may be about to become somebody.
    { name: "github-sign-in", path: SIGN_IN_PATH, target: "instance", view: startSignIn },
    { name: "github-callback", path: CALLBACK_PATH, target: "instance", view: finishSignIn },
  ],
  menu_links: (rowhouse, { actor }) =>
    actor === null ? { href: rowhouse.urls.path(SIGN_IN_PATH), label: "Sign in with GitHub" } : null,
});
