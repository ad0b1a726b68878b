// The description of endpoints for `/-/openapi.json`.
export * from "./columns.js";
export type * from "./describe.js";
export * from "./document.js";
export * from "./endpoints.js";
export * from "./rows.js";
