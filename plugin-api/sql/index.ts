// SQL text: identifiers, literals, tokens, and what an actor may read.
export * from "./attached.js";
export * from "./escape-fts.js";
export * from "./identifiers.js";
export * from "./missing-index.js";
export * from "./readable-table.js";
export * from "./script.js";
export * from "./table-checks.js";
export * from "./tokens.js";
