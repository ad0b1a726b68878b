import {
  definePlugin,
  pageReply,
  permissionChain,
  raw,
  type Reply,
  type RouteFor,
  type Visit,
  withQuery,
} from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { bodyOf, joinedInSlices, queryPairs } from "rowhouse/plugin-api/http";
import { documentPieces, openApiDocument } from "./document.js";
import { markupPieces } from "./page.js";

const instanceRoute: RouteFor<"instance"> = {
  name: "openapi",
  path: "/-/openapi{.:format}",
  target: "instance",
  permissions: permissionChain,
  view: answer,
};

const databaseRoute: RouteFor<"database"> = {
  name: "openapi-database",
  path: "/:database/-/openapi{.:format}",
  target: "database",
  permissions: permissionChain,
  refusal: "You do not have permission to view this database",
  view: answer,
};

async function answer(visit: Visit<"instance" | "database">): Promise<Reply> {
  const { rowhouse, request, format, target } = visit;
  const document = await openApiDocument(visit);
  if (format !== "html") {
    const headers = { "content-type": "application/json; charset=utf-8" };
    return { status: 200, headers, body: await bodyOf(documentPieces(document), request) };
  }
  const database = target.kind === "database" ? target.database.name : null;
  const title = database === null ? "API of this site" : `API of ${database}`;
  const facts = {
    title,
    json: rowhouse.urls.path(withQuery(`${visit.basePath}.json`, queryPairs(request))),
    base: rowhouse.urls.path("/").replace(/\/$/, ""),
  };
  return pageReply(visit, {
    template: "openapi.html",
    title,
    // Every value in the pieces was escaped where it was put in.
    content: raw(await joinedInSlices(markupPieces(document, facts), request)),
    context: { document },
    ...(database !== null && { database }),
  });
}

/** `/-/openapi.json`: the OpenAPI description of this instance, `/-/openapi`: the same as a page, and those of a database. */
export default definePlugin({
  name: "openapi",
  deterministic: true,
  unguarded: true,
  optional: ["browse", "metadata", "rowAccess"],
  hooks: bundledHooks.openapi,
  register_routes: () => [instanceRoute, databaseRoute],
});
