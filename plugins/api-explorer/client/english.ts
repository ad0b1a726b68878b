/** The English texts of the script, which contains them. */
export const scriptEnglish = {
  "script.api.answer": "Answer",
  "script.api.file": "The answer is a file of the type {type}.",
  "script.api.unknown_type": "unknown",
  "script.api.own_paths": "Only paths of this site can be requested here.",
  "script.api.failed": "The request failed: {reason}",
  "script.api.no_json": "This is not JSON: {reason}",
} as const;
