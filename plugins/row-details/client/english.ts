/** The English texts of the script, which contains them. */
export const scriptEnglish = {
  "script.row.copy": "Copy",
  "script.row.copied": "Copied",
  "script.row.not_copied": "Not copied",
  "script.row.list_rows": "Rows of the list",
  "script.row.list": "List",
  "script.row.previous": "Previous row",
  "script.row.next": "Next row",
} as const;
