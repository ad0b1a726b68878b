/** The English texts of the script, which contains them. */
export const scriptEnglish = {
  "script.map.filter": "Filter by frame",
  "script.map.help": "Map. Arrow keys move it, + and - zoom.",
  "script.map.loading": "Loading…",
  "script.map.failed": "No map: {reason}",
  "script.map.zoom_in": "Zoom in",
  "script.map.zoom_out": "Zoom out",
  "script.map.all": "Show all",
  "script.map.close": "Close",
  "script.map.none": "None of these rows has a place on earth.",
  "script.map.rows": { one: "{count} row", other: "{count} rows" },
  "script.map.some": "{places} of {rows} rows with a place",
  "script.map.first":
    "{places} places among the first {rows} of {total} rows. Filter the rows to see the others.",
  "script.map.many": "many",
  "script.map.row": "Row",
  "script.map.close_card": "Close the card",
  "script.map.more": "and {count} more",
  "script.map.open": "Open the row",
  "script.map.of_places": { one: "Map of {count} place", other: "Map of {count} places" },
  "script.map.places": "{count} places",
} as const;
