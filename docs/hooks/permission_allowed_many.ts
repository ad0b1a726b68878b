// Looks up the answers for a whole list of tables at once. A check of one table is a list with one resource.
// Try: GET /library.json
// Says: "hidden_count": 5, "views": []
// Try: GET /library/old_books.json
// Status: 403
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "no-old-books",
  permission_allowed_many: async (_rowhouse, { action, resources }) => {
    if (action !== "view-table") return null;
    const closed = await namesOfClosedTables();
    return resources.map((resource) => (Array.isArray(resource) && closed.has(resource[1]) ? false : null));
  },
});

const namesOfClosedTables = async (): Promise<ReadonlySet<string>> => new Set(["old_books"]);
