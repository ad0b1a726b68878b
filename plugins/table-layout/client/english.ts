/** The English texts of the script, which contains them. */
export const scriptEnglish = {
  "script.layout.rows": "Rows",
  "script.layout.compact": "compact",
  "script.layout.normal": "normal",
  "script.layout.roomy": "roomy",
  "script.layout.frozen": "Frozen columns",
  "script.layout.reset": "Reset widths",
  "script.layout.width": "Width of {column}",
  "script.layout.find": "Find a column",
  "script.layout.all": "All",
  "script.layout.none": "None",
  "script.layout.up": "Move {column} up",
  "script.layout.down": "Move {column} down",
} as const;
