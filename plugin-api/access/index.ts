// Actors and permissions.
export * from "./actors.js";
export * from "./current-actor.js";
export * from "./encryption.js";
export * from "./permissions.js";
export * from "./restrictions.js";
export * from "./signer.js";
export * from "./whole-tables.js";
