// JSON with exact numbers.
export * from "./long-cells.js";
export { withoutLastZeros } from "../csv/decimal-digits.js";
export * from "./pieces.js";
export * from "./text.js";
export * from "./tokens.js";
export * from "./tree.js";
