// Errors with an HTTP status.
export * from "./classes.js";
export * from "./failed-database.js";
export * from "./http-errors.js";
export * from "./privacy.js";
export * from "./unless-interrupted.js";
