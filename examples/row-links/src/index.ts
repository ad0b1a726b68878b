import { definePlugin } from "rowhouse/plugin-api";
import { rowLinkHooks } from "./hook.js";
import { linksOf } from "./links-of.js";
import { linkList } from "./link-list.js";

/** Links on the page of each row. Other plugins return them from the hook `row_links`. */
export default definePlugin({
  name: "row-links",
  hooks: rowLinkHooks,
  top_row: async (rowhouse, asked) => linkList(await linksOf(rowhouse, asked)),
});

export type { RowLink, RowLinksQuestion } from "./hook.js";
