/** The English texts of the buttons that open charts, on every page of rows. */
export const firstEnglish = {
  "script.chart.title": "Chart",
  "script.chart.facet": "chart",
  "script.chart.of_facet": "Chart of the facet {name}",
} as const;
