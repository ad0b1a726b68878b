import {
  definePlugin,
  pageReply,
  permissionChain,
  raw,
  type Reply,
  type RouteFor,
  type Visit,
} from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { bodyOf, joinedInSlices } from "rowhouse/plugin-api/http";
import { documentPieces, openApiDocument } from "./document.js";
import { markupPieces } from "./page.js";

const route: RouteFor<"instance"> = {
  name: "openapi",
  path: "/-/openapi{.:format}",
  target: "instance",
  permissions: permissionChain,
  view: answer,
};

async function answer(visit: Visit<"instance">): Promise<Reply> {
  const { rowhouse, request, format } = visit;
  const document = await openApiDocument(visit);
  if (format !== "html") {
    const headers = { "content-type": "application/json; charset=utf-8" };
    return { status: 200, headers, body: await bodyOf(documentPieces(document), request) };
  }
  const links = {
    json: rowhouse.urls.path("/-/openapi.json"),
    base: rowhouse.urls.path("/").replace(/\/$/, ""),
  };
  return pageReply(visit, {
    template: "openapi.html",
    title: "API of this site",
    // Every value in the pieces was escaped where it was put in.
    content: raw(await joinedInSlices(markupPieces(document, links), request)),
    context: { document },
  });
}

/** `/-/openapi.json`: the OpenAPI description of this instance, and `/-/openapi`: the same as a page. */
export default definePlugin({
  name: "openapi",
  deterministic: true,
  unguarded: true,
  optional: ["browse", "metadata", "rowAccess"],
  hooks: bundledHooks.openapi,
  register_routes: () => [route],
});
