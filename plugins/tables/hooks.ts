import { objectOf, objectWith } from "rowhouse/plugin-api";
import type { HookSpec } from "rowhouse/plugin-api";

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const SCOPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  where: (value) => typeof value === "string",
  params: (value) => typeof value === "object" && value !== null,
  hiddenColumns: isTextList,
};

/** A misspelt key would hide nothing: such an answer refuses the request. */
const isScope = (answer: unknown): boolean =>
  typeof answer === "object" &&
  answer !== null &&
  Object.entries(answer).every(([key, value]) => Object.hasOwn(SCOPE, key) && SCOPE[key]?.(value));

/** The hooks of tables, by name. */
export const tableHooks: Readonly<Record<string, HookSpec>> = {
  filters_from_request: {
    kind: "collect",
    expects: objectWith("a filter with where, params and description", { where: "string" }),
  },
  extend_table: { kind: "collect", expects: objectOf("an object with data or context") },
  read_scope: {
    kind: "collect",
    expects: { what: "an object with where, params or hiddenColumns and nothing else", is: isScope },
  },
};
