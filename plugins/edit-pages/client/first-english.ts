/** The English texts of forms, which need no others. */
export const firstEnglish = {
  "script.preview_of": "Preview of {name}",
  "script.format": "Format",
  "script.valid_json": "Valid JSON",
  "script.invalid_json": "Not valid JSON: {reason}",
} as const;
