/** The English text of the button that opens the map. */
export const firstEnglish = {
  "script.map.title": "Map",
} as const;
