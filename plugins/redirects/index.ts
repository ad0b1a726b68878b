import { NotFound, definePlugin, reply, safeLocation } from "rowhouse/plugin-api";
import { betterPath } from "./better-path.js";

/** Instead of "not found": on to the path that was probably meant. Comes before custom pages and error pages. */
export default definePlugin({
  name: "redirects",
  handle_exception: {
    order: "early",
    run(rowhouse, { request, error }) {
      if (!(error instanceof NotFound)) return null;
      const path = betterPath(request.path, rowhouse.renderers);
      if (path === null) return null;
      const query = request.queryString === "" ? "" : `?${request.queryString}`;
      const location = rowhouse.urls.path(safeLocation(path + query));
      return reply.redirect(location, 302, { link: `<${location}>; rel=preload` });
    },
  },
});
