import { definePlugin, type Request } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { bundledHooks, bundledSettings } from "rowhouse/plugin-api/contracts";
import { actorFromBearer, createToken, signedTokens } from "./bearer.js";
import { createTokenCommand } from "./create-token-command.js";
import { createTokenRoutes } from "./create-token-page.js";
import { tokenLink, tokenPlaces } from "./links.js";
import { registryCommands } from "./registry/commands.js";
import { serverRegistry } from "./registry/open.js";
import { refuseInvalid } from "./refuse-invalid.js";
import { tokensRoutes } from "./registry/tokens-page.js";
import { texts } from "./texts.js";

/** Creates and verifies signed API tokens. */
export default definePlugin({
  name: "tokens",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  provides: ["tokens"],
  optional: ["events", "messages", "tables"],
  settings: bundledSettings.tokens,
  hooks: bundledHooks.tokens,
  setup(rowhouse) {
    const findRegistry = serverRegistry(rowhouse);
    const refused = new WeakSet<Request>();
    rowhouse.provide("tokens", {
      createToken: (actorId, grants = {}, name) =>
        createToken(rowhouse, { actorId, grants, ...(name !== undefined && { name }) }),
    });
    return {
      actor_from_request: actorFromBearer(refused),
      ...(rowhouse.setting("refuse_invalid_tokens") && { intercept_request: refuseInvalid(refused) }),
      register_token_handler: () => signedTokens(rowhouse, findRegistry),
      // A wrong handler stops the start and not each request with a token. Others may need what their own `startup` makes.
      startup: {
        order: "last",
        run: async () => void (await rowhouse.hooks.register_token_handler.promise([], rowhouse, {})),
      },
      register_routes: () => [...createTokenRoutes(findRegistry), ...tokensRoutes(findRegistry)],
      menu_links: (_rowhouse, asking) => tokenLink(rowhouse, asking),
      jump_items: (_rowhouse, asking) => tokenPlaces(rowhouse, asking, findRegistry()),
      shutdown: () => findRegistry()?.flush(),
    };
  },
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ module: "create-token.js" }, ({ viewName }) => viewName === "create_token"),
  register_commands: (rowhouse) => [createTokenCommand(rowhouse), ...registryCommands(rowhouse)],
  describe_api: async () => (await import("./openapi.js")).api,
});
