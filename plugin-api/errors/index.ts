// Errors with an HTTP status.
export * from "./classes.js";
export * from "./privacy.js";
