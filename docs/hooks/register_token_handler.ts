// Adds another kind of tokens: a fixed list of keys.
// Try: GET /-/actor.json with header authorization: Bearer key_0123456789
// Says: "id": "ada"
// Try: GET /-/actor.json with header authorization: Bearer key_stolen
// Says: {"actor": null}
import { definePlugin } from "rowhouse/plugin-api";
import { BadSignature } from "rowhouse/plugin-api/errors";

const KEYS = new Map([["key_0123456789", "ada"]]);

export default definePlugin({
  name: "keys",
  register_token_handler: () => ({
    name: "keys",
    verifyToken: (token) => {
      if (!token.startsWith("key_")) return null;
      const id = KEYS.get(token);
      if (id === undefined) throw new BadSignature();
      return { id, token: "key" };
    },
  }),
});
