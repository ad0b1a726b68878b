import { definePlugin } from "rowhouse/plugin-api";
import { compress, compressionPolicy } from "./compress.js";

/** Compresses text for clients that accept it. */
export default definePlugin({
  name: "compression",
  deterministic: true,
  unguarded: true,
  finish_reply: {
    // Last, so that the final body is compressed.
    order: "late",
    run: (_rowhouse, { value, request, actor }) => {
      const policy = compressionPolicy({ value, request, actor });
      return policy === "off" ? value : compress(value, request, policy);
    },
  },
});
