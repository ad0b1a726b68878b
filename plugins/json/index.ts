import { definePlugin, reply, without, withQuery } from "rowhouse/plugin-api";
import type { Renderer, Reply, Rowhouse, Visit } from "rowhouse/plugin-api";
import { render, wants } from "./renderer.js";

const json: Renderer = { extension: "json", wants, render, canRender: () => true };

/** An older spelling of `.json?_shape=objects`, which it redirects to wherever there are rows. */
const jsono: Renderer = { extension: "jsono", wants, render };

/** JSON documents: `.json` on any page, its shapes and its other arguments. */
export default definePlugin({
  name: "json",
  register_output_renderer: () => [json, jsono],
  before_view: (rowhouse, { visit }) => (visit.format === "jsono" ? redirectToJson(rowhouse, visit) : null),
});

function redirectToJson(rowhouse: Rowhouse, visit: Visit): Reply | null {
  if (visit.target.kind === "instance") return null;
  const pairs = [...without(visit.request.query, "_shape"), ["_shape", "objects"] as const];
  const location = rowhouse.urls.path(withQuery(`${visit.basePath}.json`, pairs));
  return reply.redirect(location, 302, { link: `<${location}>; rel=preload` });
}
