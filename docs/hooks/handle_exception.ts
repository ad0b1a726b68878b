// Redirects old addresses.
// Try: GET /library/volumes
// Header: location: /library/books
import { definePlugin, reply } from "rowhouse/plugin-api";
import { TableNotFound } from "rowhouse/plugin-api/errors";

export default definePlugin({
  name: "renamed",
  handle_exception: (rowhouse, { error }) => {
    if (!(error instanceof TableNotFound) || error.table !== "volumes") return null;
    return reply.redirect(rowhouse.urls.table(error.database, "books"), 301);
  },
});
