// Markup and pages.
export * from "./css.js";
export * from "./listing.js";
export * from "./markup.js";
export * from "./markup-in-texts.js";
export * from "./page.js";
export * from "./permission-words.js";
export * from "./texts.js";
