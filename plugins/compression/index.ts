import { definePlugin } from "rowhouse/plugin-api";
import { compressed } from "./compress.js";
import { breachPolicyOf } from "./breach-protection.js";

/** Sends text compressed to clients that take it. */
export default definePlugin({
  name: "compression",
  finish_reply: {
    // Last, so that whatever others add to a body is compressed too.
    order: "late",
    run: (_rowhouse, { value, request, actor }) => {
      const disclosure = breachPolicyOf({ value, request, actor });
      return disclosure === "nothing" ? value : compressed(value, request, disclosure);
    },
  },
});
