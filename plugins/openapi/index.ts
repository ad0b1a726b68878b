import { definePlugin, jsonText, pageReply, permissionChain, reply } from "rowhouse/plugin-api";
import type { Reply, RouteFor, Visit } from "rowhouse/plugin-api";
import { openApiDocument } from "./document.js";
import { documentMarkup } from "./page.js";

const route: RouteFor<"instance"> = {
  name: "openapi",
  path: "/-/openapi{.:format}",
  target: "instance",
  permissions: permissionChain,
  view: answer,
};

async function answer(visit: Visit<"instance">): Promise<Reply> {
  const { rowhouse, format } = visit;
  const document = await openApiDocument(visit);
  if (format !== "html") return reply.json(jsonText(document));
  const links = {
    json: rowhouse.urls.path("/-/openapi.json"),
    base: rowhouse.urls.path("/").replace(/\/$/, ""),
  };
  return pageReply(visit, {
    template: "openapi.html",
    title: "API of this site",
    content: documentMarkup(document, links),
    context: { document },
  });
}

/** `/-/openapi.json`: this instance's API for programs, and `/-/openapi` for people. */
export default definePlugin({
  name: "openapi",
  deterministic: true,
  unguarded: true,
  optional: ["browse", "metadata", "sessions", "tokens"],
  register_routes: () => [route],
});
