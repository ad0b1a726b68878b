// Measures how many books there are, when metrics are requested.
// Try: GET /-/metrics as root
// Says: library_books 8
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "books-metric",
  register_metrics: (rowhouse) => ({
    name: "library_books",
    help: "Books in the library",
    type: "gauge",
    read: async () => {
      const { rows } = await rowhouse.database("library").read("select count(*) from books");
      return Number(rows[0]?.[0]);
    },
  }),
});
