// Lists of words in the column `tags`, which rejects other values. The metadata can assign this type too.
// Try: GET /library/books/1
// Says: novel · romance
// Try: POST /library/books/-/insert as root with {"row": {"tags": "novel"}}
// Status: 400
// Says: Row 0 has an invalid value in column tags: not a JSON list
import { definePlugin } from "rowhouse/plugin-api";
import { jsonComplaint } from "rowhouse/plugin-api/json";

const isList = (value: unknown): boolean =>
  String(value).startsWith("[") && jsonComplaint(String(value)) === null;

export default definePlugin({
  name: "tags",
  register_column_types: () => ({
    name: "tags",
    description: "A JSON list of words, shown with dots between them",
    render: ({ value }) =>
      isList(value) ? (JSON.parse(String(value)) as readonly unknown[]).join(" · ") : null,
    transform: (value) => (typeof value === "string" ? value.trim() : value),
    validate: (value) => (isList(value) ? null : "not a JSON list"),
  }),
  get_metadata: () => ({
    databases: { library: { tables: { books: { column_types: { tags: "tags" } } } } },
  }),
});
