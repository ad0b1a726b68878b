import { definePlugin } from "rowhouse/plugin-api";
import { linksOf } from "./links-of.js";
import { linkList } from "./link-list.js";

/** Links on the page of each row. It knows none itself: other plugins tell it by the hook `row_links`. */
export default definePlugin({
  name: "row-links",
  hooks: {
    row_links: {
      kind: "collect",
      expects: { what: "a link with href and label", is: isLink },
      // A plugin that fails leaves its links out; the page is not in danger.
      failing: "skip",
    },
  },
  top_row: async (rowhouse, asked) => linkList(await linksOf(rowhouse, asked)),
});

function isLink(answer: unknown): boolean {
  const { href, label } = Object(answer) as Readonly<Record<string, unknown>>;
  return typeof href === "string" && typeof label === "string";
}

export type { RowLink, RowLinksQuestion } from "./hook.js";
