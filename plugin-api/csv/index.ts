// Values separated by a delimiter.
export * from "./csv-records.js";
