import { NotFound, definePlugin, linkHeader, reply, safeLocation } from "rowhouse/plugin-api";
import { betterPath } from "./better-path.js";

// It is sent twice, and clients give up on headers that are longer than their memory for them.
const LONGEST_LOCATION = 4_000;

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
      if (location.length > LONGEST_LOCATION) return null;
      return reply.redirect(location, 302, linkHeader(`<${location}>; rel=preload`));
    },
  },
});
