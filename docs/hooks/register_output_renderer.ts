// Adds the format `.txt`: rows as a text list.
// Try: GET /library/authors.txt
// Says: - Jane Austen
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "text",
  register_output_renderer: () => ({
    extension: "txt",
    wants: () => ({ rows: "cells", infinity: "words", parts: new Set(), labels: false, stream: false }),
    canRender: (page) => page.rows !== undefined,
    render: (page) => {
      const lines = (page.rows?.cells ?? []).map((row) => `- ${String(row[1])}`);
      return reply.text(lines.join("\n"));
    },
  }),
});
