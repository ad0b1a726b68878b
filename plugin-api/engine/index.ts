// Databases, schemas and values, for plugins that read or provide databases.
export type * from "./advice.js";
export type * from "./alter.js";
export * from "./analysis.js";
export type * from "./backup.js";
export type * from "./database.js";
export type * from "./definitions.js";
export * from "./dialect.js";
export * from "./encode-rows.js";
export * from "./lines.js";
export * from "./long-blobs.js";
export * from "./named-location.js";
export type * from "./reads.js";
export * from "./rows.js";
export * from "./schema.js";
export * from "./stored-data.js";
export * from "./values.js";
