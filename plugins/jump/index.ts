import { definePlugin, html, type Html, type Rowhouse } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { JUMP_PATH, jumpRoute } from "./jump-page.js";
import { texts, tOf } from "./texts.js";

/** A menu of all pages that the actor may view. A key opens it on every page. */
export default definePlugin({
  name: "jump",
  deterministic: true,
  unguarded: true,
  optional: ["browse", "metadata"],
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ module: "app.js", styles: "app.css" }, () => true),
  hooks: bundledHooks.jump,
  register_routes: () => [jumpRoute],
  header_items: async (rowhouse, { request, actor }) =>
    (await rowhouse.permissions.allowed(actor, "view-instance"))
      ? button(rowhouse, tOf({ rowhouse, request })("jump.button"))
      : null,
  register_texts: () => texts,
  describe_api: async () => (await import("./openapi.js")).api,
});

/** A link to the plain page, which the script turns into a dialog. */
const button = (rowhouse: Rowhouse, label: string): Html =>
  html`<a
    class="jump-button"
    href="${rowhouse.urls.path(JUMP_PATH)}"
    data-jump="${rowhouse.urls.path(`${JUMP_PATH}.json`)}"
    ><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d="M11 11l4 4M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0z"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
      />
    </svg>
    <span>${label}</span> <kbd>/</kbd></a
  >`;
