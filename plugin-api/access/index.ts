// Actors and permissions.
export * from "./actors.js";
export * from "./permissions.js";
export * from "./signer.js";
