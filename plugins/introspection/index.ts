import {
  definePlugin,
  html,
  reply,
  jsonText,
  pageReply,
  permissionChain,
  type Route,
  type RouteFor,
  type Awaitable,
  type Chain,
  type Html,
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
import { heading, type PageName } from "./pages/parts.js";
import { texts, tOf } from "./texts.js";
import { versionsDocument } from "./versions.js";

/** Documents about the server under `/-/`. */
export default definePlugin({
  name: "introspection",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  optional: ["metadata", "rowAccess"],
  register_routes: () => [
    documentRoute("metadata", { document: metadataDocument, page: metadataPage, permissions }),
    documentRoute("versions", { document: versionsDocument, page: versionsPage, permissions }),
    documentRoute("plugins", { document: pluginsDocument, page: pluginsPage, permissions }),
    documentRoute("settings", { document: settingsDocument, page: settingsPage, permissions }),
    documentRoute("threads", { document: threadsDocument, page: threadsPage, permissions }),
    documentRoute("databases", { document: databasesDocument, page: databasesPage, permissions }),
    documentRoute("actor", { document: actorDocument, page: actorPage }),
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

const permissions = (): Chain => VIEW_INSTANCE;

/** A document about the server, and its page for people. */
interface Introspection<Document> extends Pick<RouteFor<"instance">, "permissions"> {
  readonly document: (visit: Instance) => Awaitable<Document>;
  /** The page below its heading. */
  readonly page: (visit: Instance, document: Document) => Awaitable<Html>;
}

/** The routes `/-/<name>`, a page, and `/-/<name>.json`. JSON arguments have no effect. */
const documentRoute = <Document>(
  name: PageName,
  { document: make, page, ...access }: Introspection<Document>,
): RouteFor<"instance"> => ({
  name,
  path: `/-/${name}{.:format}`,
  target: "instance",
  ...access,
  async view(visit) {
    const document = await make(visit);
    if (visit.format !== "html") return reply.json(jsonText(document));
    const { urls } = visit.rowhouse;
    const alternate = urls.absolute(visit.request, urls.path(`/-/${name}.json`));
    return pageReply(visit, {
      template: `${name}.html`,
      title: tOf(visit)(`server.${name}`),
      content: html`${heading(visit, name)} ${await page(visit, document)}`,
      context: { document, alternate_url_json: alternate, is_translated: true },
      headers: linkHeader(`${alternate}; rel="alternate"; type="application/json+rowhouse"`),
    });
  },
});
