// JSON with exact numbers.
export * from "./text.js";
export * from "./tree.js";
