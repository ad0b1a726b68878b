import { objectOf, objectWith, sqlTokens } from "rowhouse/plugin-api";
import type { HookSpec, ReadScope } from "rowhouse/plugin-api";

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const SCOPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  table: (value) => typeof value === "string",
  where: (value) => typeof value === "string",
  params: (value) => typeof value === "object" && value !== null,
  hiddenColumns: isTextList,
  complete: (value) => typeof value === "boolean",
};

/** A misspelt key would hide nothing: such an answer refuses the request. */
const isScope = (answer: unknown): boolean =>
  typeof answer === "object" &&
  answer !== null &&
  "table" in answer &&
  Object.entries(answer).every(([key, value]) => Object.hasOwn(SCOPE, key) && SCOPE[key]?.(value)) &&
  hasItsValues(answer as ReadScope);

/** A parameter without a value would be filled by whatever the request brings along. */
const hasItsValues = ({ where = "", params = {} }: ReadScope): boolean =>
  sqlTokens(where).every(
    ({ kind, text }) =>
      kind !== "parameter" || (text.startsWith(":") && Object.hasOwn(params, text.slice(1))),
  );

/** The hooks of tables, by name. */
export const tableHooks: Readonly<Record<string, HookSpec>> = {
  filters_from_request: {
    kind: "collect",
    expects: objectWith("a filter with where, params and description", { where: "string" }),
  },
  extend_table: { kind: "collect", expects: objectOf("an object with data or context") },
  read_scope: {
    kind: "collect",
    enforces: true,
    expects: {
      what: "an object with table, where, params for each of its parameters, hiddenColumns or complete, and nothing else",
      is: isScope,
    },
  },
};
