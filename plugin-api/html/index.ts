// Markup and pages.
export * from "./css.js";
export * from "./markup.js";
export * from "./page.js";
export * from "./texts.js";
