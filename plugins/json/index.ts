import {
  definePlugin,
  reply,
  withQuery,
  type Renderer,
  type Reply,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { linkHeader, queryPairs, without } from "rowhouse/plugin-api/http";
import { render, wants } from "./renderer.js";

/** `json`, and `jsono`, which redirects to `.json?_shape=objects` on pages with rows. */
const renderers = (rowhouse: Rowhouse): readonly Renderer[] => {
  const common = { wants: (request: Request) => wants(rowhouse, request), render };
  return [
    { extension: "json", ...common, canRender: () => true },
    { extension: "jsono", ...common },
  ];
};

/** JSON documents: `.json` on any page, its shapes and its other arguments. */
export default definePlugin({
  name: "json",
  deterministic: true,
  unguarded: true,
  optional: ["columnTypes"],
  register_output_renderer: renderers,
  before_view: (rowhouse, { visit }) => (visit.format === "jsono" ? redirectToJson(rowhouse, visit) : null),
});

function redirectToJson(rowhouse: Rowhouse, visit: Visit): Reply | null {
  if (visit.target.kind === "instance") return null;
  const pairs = [...without(queryPairs(visit.request), "_shape"), ["_shape", "objects"] as const];
  const location = rowhouse.urls.path(withQuery(`${visit.basePath}.json`, pairs));
  return reply.redirect(location, 302, linkHeader(`<${location}>; rel=preload`));
}
