import {
  definePlugin,
  reply,
  jsonText,
  pageReply,
  permissionChain,
  type Route,
  type RouteFor,
  type Awaitable,
  type Chain,
  type Html,
  type Reply,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { linkHeader } from "rowhouse/plugin-api/http";
import {
  actorDocument,
  databasesDocument,
  pluginsDocument,
  settingsDocument,
  threadsDocument,
} from "./documents.js";
import { metadataDocument } from "./metadata-document.js";
import { actorPage, databasesPage, metadataPage, threadsPage, versionsPage } from "./pages/facts-pages.js";
import { pluginsPage } from "./pages/plugins-page.js";
import { settingsPage } from "./pages/settings-page.js";
import { texts, tOf, type ServerText } from "./texts.js";
import { versionsDocument } from "./versions.js";

/** Documents about the server under `/-/`. */
export default definePlugin({
  name: "introspection",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  optional: ["metadata", "rowAccess"],
  register_routes: () => [
    documentRoute("metadata", "viewers", {
      title: "server.metadata",
      document: metadataDocument,
      page: metadataPage,
    }),
    documentRoute("versions", "viewers", {
      title: "server.versions",
      document: versionsDocument,
      page: versionsPage,
    }),
    documentRoute("plugins", "viewers", {
      title: "server.plugins",
      document: pluginsDocument,
      page: pluginsPage,
    }),
    documentRoute("settings", "viewers", {
      title: "server.settings",
      document: settingsDocument,
      page: settingsPage,
    }),
    documentRoute("threads", "viewers", {
      title: "server.threads",
      document: threadsDocument,
      page: threadsPage,
    }),
    documentRoute("databases", "viewers", {
      title: "server.databases",
      document: databasesDocument,
      page: databasesPage,
    }),
    documentRoute("actor", "all", { title: "server.actor", document: actorDocument, page: actorPage }),
    ...redirects,
  ],
  jump_items: async (rowhouse, { actor }) =>
    (await rowhouse.permissions.allowed(actor, "debug-menu")) ? settingPlaces(rowhouse) : [],
  describe_api: async () => (await import("./openapi.js")).api,
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
const redirects: readonly Route[] = [
  oldMemoryPath,
  redirect("config-json-redirect", /^\/-\/config\.json$/, "/-/settings.json"),
  redirect("config-redirect", /^\/-\/config/, "/-/settings"),
];

/** The settings, for the jump menu. */
const settingPlaces = ({ settings, urls }: Rowhouse): readonly JumpItem[] =>
  [...settings.values()].map(({ name, help }) => ({
    kind: "setting",
    label: name,
    detail: help,
    href: urls.path(`/-/settings#setting-${name}`),
    later: true,
  }));

type Instance = Visit<"instance">;

const VIEW_INSTANCE: Chain = permissionChain();

/** A document about the server, and its page for people. */
export interface Introspection<Document> {
  readonly title: ServerText;
  readonly document: (visit: Instance) => Awaitable<Document>;
  readonly page: (visit: Instance, document: Document) => Awaitable<Html>;
}

/** The routes `/-/<name>`, a page, and `/-/<name>.json`. JSON arguments have no effect. */
function documentRoute<Document>(
  name: string,
  audience: "all" | "viewers",
  introspection: Introspection<Document>,
): RouteFor<"instance"> {
  return {
    name,
    path: `/-/${name}{.:format}`,
    target: "instance",
    ...(audience === "viewers" && { permissions: () => VIEW_INSTANCE }),
    view: (visit) => answer(name, visit, introspection),
  };
}

async function answer<Document>(
  name: string,
  visit: Instance,
  { title, document: make, page }: Introspection<Document>,
): Promise<Reply> {
  const document = await make(visit);
  if (visit.format !== "html") return reply.json(jsonText(document));
  const { urls } = visit.rowhouse;
  const alternate = urls.absolute(visit.request, urls.path(`/-/${name}.json`));
  return pageReply(visit, {
    template: `${name}.html`,
    title: tOf(visit)(title),
    content: await page(visit, document),
    context: { document, alternate_url_json: alternate, is_translated: true },
    headers: linkHeader(`${alternate}; rel="alternate"; type="application/json+rowhouse"`),
  });
}
