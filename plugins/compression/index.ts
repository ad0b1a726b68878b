import { definePlugin } from "rowhouse/plugin-api";
import { compressed } from "./compressed.js";
import { holdsSecret } from "./secrets.js";

/** Sends text compressed to clients that take it. */
export default definePlugin({
  name: "compression",
  finish_reply: {
    // Last, so that whatever others add to a body is compressed too.
    order: "late",
    run: (rowhouse, { value, request, actor }) =>
      holdsSecret(rowhouse, { value, request, actor }) ? value : compressed(value, request),
  },
});
