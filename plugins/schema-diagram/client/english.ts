/** The English texts of the script, which contains them. */
export const scriptEnglish = {
  "script.diagram.smaller": "Smaller",
  "script.diagram.larger": "Larger",
  "script.diagram.all": "Show all",
} as const;
