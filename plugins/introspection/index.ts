import {
  definePlugin,
  reply,
  jsonText,
  permissionChain,
  type Route,
  type RouteFor,
  type Awaitable,
  type Chain,
  type Page,
  type Reply,
  type Visit,
} from "rowhouse/plugin-api";
import type { JsonDataContext } from "rowhouse/plugin-api/contracts";
import {
  actorDocument,
  databasesDocument,
  pluginsDocument,
  settingsDocument,
  threadsDocument,
} from "./documents.js";
import { metadataDocument } from "./metadata-document.js";
import { versionsDocument } from "./versions.js";

/** Documents about the server under `/-/`. */
export default definePlugin({
  name: "introspection",
  deterministic: true,
  unguarded: true,
  optional: ["metadata", "rowAccess"],
  register_routes: () => [
    documentRoute("metadata", "viewers", metadataDocument),
    documentRoute("versions", "viewers", versionsDocument),
    documentRoute("plugins", "viewers", pluginsDocument),
    documentRoute("settings", "viewers", settingsDocument),
    documentRoute("threads", "viewers", threadsDocument),
    documentRoute("databases", "viewers", databasesDocument),
    documentRoute("actor", "all", actorDocument),
    ...redirects,
  ],
});

const oldMemoryPath: RouteFor<"instance"> = {
  name: "memory-redirect",
  path: /^\/:memory:(?<rest>.*)$/s,
  target: "instance",
  view: ({ rowhouse, request, params }) => {
    const query = request.queryString === "" ? "" : `?${request.queryString}`;
    return reply.redirect(rowhouse.urls.path(`/_memory${params["rest"] ?? ""}${query}`), 301);
  },
};

const redirect = (name: string, path: RegExp, location: string): RouteFor<"instance"> => ({
  name,
  path,
  target: "instance",
  view: ({ rowhouse }) => reply.redirect(rowhouse.urls.path(location), 301),
});

/** Redirects from URLs of earlier releases. */
export const redirects: readonly Route[] = [
  oldMemoryPath,
  redirect("config-json-redirect", /^\/-\/config\.json$/, "/-/settings.json"),
  redirect("config-redirect", /^\/-\/config/, "/-/settings"),
];

type Instance = Visit<"instance">;

const VIEW_INSTANCE: Chain = permissionChain();

/** The routes `/-/<name>`, a page with indented JSON, and `/-/<name>.json`. JSON arguments have no effect. */
export function documentRoute(
  name: string,
  audience: "all" | "viewers",
  document: (visit: Instance) => Awaitable<unknown>,
): RouteFor<"instance"> {
  return {
    name,
    path: `/-/${name}{.:format}`,
    target: "instance",
    ...(audience === "viewers" && { permissions: () => VIEW_INSTANCE }),
    view: async (visit) => answer(name, visit, await document(visit)),
  };
}

function answer(name: string, { format, rowhouse }: Instance, document: unknown): Page | Reply {
  if (format !== "html") return reply.json(jsonText(document));
  const fileName = `${name}.json`;
  const context: JsonDataContext = {
    fileName,
    href: rowhouse.urls.path(`/-/${fileName}`),
    text: JSON.stringify(document, null, 4),
  };
  return { name: "json_data", data: {}, context: { ...context }, plain: true };
}
