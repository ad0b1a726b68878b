// Values separated by a delimiter.
export * from "./csv-records.js";
export * from "./spelled-doubles.js";
