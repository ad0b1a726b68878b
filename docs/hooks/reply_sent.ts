// Warns about large replies.
// Try: GET /library/books
// Log: warn: GET /library/books: more than a kilobyte
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "large-replies",
  reply_sent: (rowhouse, { request, bytes }) => {
    if (bytes > 1_000) rowhouse.log.warn(`${request.method} ${request.path}: more than a kilobyte`);
  },
});
