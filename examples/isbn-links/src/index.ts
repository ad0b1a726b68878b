import { definePlugin } from "rowhouse/plugin-api";
// Its types make `row_links` a hook that editors know. Nothing of it is needed when the plugin runs.
import type { RowLink } from "rowhouse-plugin-row-links";
import { isbn } from "./isbn.js";

/** Rows with a valid ISBN in a column of that name lead to the book in Open Library. */
export default definePlugin({
  name: "isbn-links",
  row_links: (_rowhouse, { row }) =>
    Object.entries(row)
      .filter(([column]) => /^isbn(?:_?1[03])?$/i.test(column))
      .map(([, value]) => isbn(value))
      .filter((number) => number !== null)
      .map((number): RowLink => ({
        href: `https://openlibrary.org/isbn/${number}`,
        label: `ISBN ${number} in Open Library`,
      })),
});
