import { definePlugin } from "rowhouse/plugin-api";
import { compress } from "./compress.js";
import { compressionPolicy } from "./breach-protection.js";

/** Sends text compressed to clients that take it. */
export default definePlugin({
  name: "compression",
  finish_reply: {
    // Last, so that whatever others add to a body is compressed too.
    order: "late",
    run: (_rowhouse, { value, request, actor }) => {
      const policy = compressionPolicy({ value, request, actor });
      return policy === "nothing" ? value : compress(value, request, policy);
    },
  },
});
