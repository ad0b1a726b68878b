import { permissionChain, type Route } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { Labelled } from "rowhouse/plugin-api/http";
import { queryStyle } from "./cell-styles.js";
import { rowTableContext } from "./display-rows.js";
import { type RowTable, bareHeading, rowTablePieces } from "./row-table.js";
import { translator } from "rowhouse/plugin-api/html";
import { english } from "./language/english.js";
import type { Site } from "./site.js";

const COLUMNS = ["id", "name", "maker", "price", "picture", "address", "remark"];

const ENGLISH = translator([{ language: "en", texts: english }], "en");

/** All kinds of cells. */
const EXAMPLE: RowTable = {
  rows: {
    columns: COLUMNS,
    json: null,
    keys: [],
    cells: [
      [
        1,
        "Anvil",
        new Labelled(1, "Acme"),
        new Real(95.5),
        new Uint8Array(2048),
        "https://example.org/",
        null,
      ],
      [2, "שלום", new Labelled(2, "Bolt & Co"), new Real(0.25), null, "", "two\nlines"],
    ],
  },
  columns: COLUMNS.map((column) => ({
    heading: bareHeading(column),
    style: queryStyle(column, {
      truncate: 2048,
      fold: true,
      numbers: null,
      reader: ENGLISH,
      blobHref: () => "#",
    }),
  })),
  link: null,
  given: null,
  limits: { columns: Infinity, cells: Infinity, characters: Infinity },
  found: { rows: 2, columns: COLUMNS.length },
  valuesCut: false,
  shortened: null,
};

/** The colours of the style sheet in its order. */
const COLOR_NAMES = [
  "ink",
  "ink-soft",
  "canvas",
  "paper",
  "surface",
  "surface-strong",
  "line",
  "line-strong",
  "accent",
  "accent-ink",
  "accent-soft",
  "visited",
  "focus",
  "good",
  "good-line",
  "warn",
  "warn-line",
  "bad",
  "bad-line",
  "house-1",
  "house-2",
  "house-3",
  "series-1",
  "series-2",
  "series-3",
  "series-4",
  "series-5",
  "series-6",
  "series-7",
  "series-8",
] as const;

/** A page with every element of the design, for authors of styles and templates. */
export const patternsRoute = (site: Site): Route => ({
  name: "patterns",
  path: "/-/patterns",
  target: "instance",
  permissions: permissionChain,
  view: async ({ request, actor }) =>
    site.render(
      "patterns.html",
      {
        title: "Pattern portfolio",
        body_class: "patterns",
        color_names: COLOR_NAMES,
        ...(await rowTableContext({ table: EXAMPLE, pieces: rowTablePieces }, request, {
          isCustom: false,
          t: ENGLISH.t,
        })),
        message_examples: [
          { level: "info", text: "Something was done" },
          { level: "warning", text: "Something needs attention" },
          { level: "error", text: "Something went wrong" },
        ],
      },
      { request, actor, trail: {} },
    ),
});
