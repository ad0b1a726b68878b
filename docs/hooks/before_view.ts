// Allows CSV only for signed-in actors.
// Try: GET /library/books.csv
// Status: 401
// Try: GET /library/books.csv as ann
// Status: 200
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "csv-for-readers",
  before_view: (_rowhouse, { visit }) =>
    visit.format === "csv" && visit.actor === null ? reply.text("Sign in for CSV", 401) : null,
});
