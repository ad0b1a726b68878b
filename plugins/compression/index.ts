import { definePlugin } from "rowhouse/plugin-api";
import { compressed } from "./compressed.js";

/** Sends text compressed to clients that take it. */
export default definePlugin({
  name: "compression",
  // Last, so that whatever others add to a body is compressed too.
  finish_reply: { order: "late", run: (_rowhouse, { value, request }) => compressed(value, request) },
});
