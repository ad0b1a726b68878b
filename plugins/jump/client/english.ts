/** The English texts of the script, which contains them. */
export const scriptEnglish = {
  "script.jump.title": "Jump to",
  "script.jump.field": "Name of a page, table, command, setting or row",
  "script.jump.places": "Places",
  "script.jump.no_answer": "The server does not answer.",
  "script.jump.nothing": "Nothing is called that.",
  "script.jump.kind_page": "page",
  "script.jump.kind_command": "command",
  "script.jump.kind_database": "database",
  "script.jump.kind_table": "table",
  "script.jump.kind_view": "view",
  "script.jump.kind_query": "query",
  "script.jump.kind_setting": "setting",
  "script.jump.kind_row": "row",
  "script.jump.kind_dashboard": "dashboard",
  "script.jump.kind_token": "token",
} as const;
