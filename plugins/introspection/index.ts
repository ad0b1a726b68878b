import { definePlugin } from "rowhouse/plugin-api";
import { actorDocument, databasesDocument, pluginsDocument, settingsDocument } from "./documents.js";
import { documentRoute } from "./document-route.js";
import { metadataDocument } from "./metadata-document.js";
import { redirects } from "./redirects.js";
import { threadsDocument } from "./threads.js";
import { versionsDocument } from "./versions.js";

/** What this server is and does, as documents under `/-/`. */
export default definePlugin({
  name: "introspection",
  optional: ["metadata", "tables"],
  register_routes: () => [
    documentRoute("metadata", "viewers", metadataDocument),
    documentRoute("versions", "viewers", versionsDocument),
    documentRoute("plugins", "viewers", pluginsDocument),
    documentRoute("settings", "viewers", settingsDocument),
    documentRoute("threads", "viewers", threadsDocument),
    documentRoute("databases", "viewers", databasesDocument),
    documentRoute("actor", "anybody", actorDocument),
    ...redirects,
  ],
});
