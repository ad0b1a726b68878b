/** Pages about the server itself, which are there whatever it serves. */
export const SERVICE_PAGES = [
  "/-/create-token",
  "/-/permissions",
  "/-/actions",
  "/-/api",
  "/-/openapi",
  "/-/jump",
  "/-/patterns",
  "/-/metadata",
  "/-/settings",
  "/-/plugins",
  "/-/versions",
  "/-/databases",
  "/-/threads",
  "/-/actor",
  "/-/allow-debug",
  "/-/messages",
];
