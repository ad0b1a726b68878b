// Actors and permissions.
export * from "./actors.js";
export * from "./encryption.js";
export * from "./permissions.js";
export * from "./referable-tables.js";
export * from "./signer.js";
