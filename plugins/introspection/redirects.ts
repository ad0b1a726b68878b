import { reply } from "rowhouse/plugin-api";
import type { Route, RouteFor } from "rowhouse/plugin-api";

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

/** Addresses of earlier releases that are still linked to. */
export const redirects: readonly Route[] = [
  oldMemoryPath,
  redirect("config-json-redirect", /^\/-\/config\.json$/, "/-/settings.json"),
  redirect("config-redirect", /^\/-\/config/, "/-/settings"),
];
