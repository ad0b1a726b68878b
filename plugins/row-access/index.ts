import { definePlugin, sqlTokens } from "rowhouse/plugin-api";
import type { ReadScope } from "rowhouse/plugin-api";
import { inheritSourcePermissions } from "./derived-tables.js";
import { describableTables, redacted } from "./describable.js";
import { readable, readableTables, viewable, withBarrier } from "./readable.js";

/** Decides which rows and columns of a table an actor may read: the rules of plugins, and those of derived tables. */
export default definePlugin({
  name: "row-access",
  provides: ["rowAccess"],
  hooks: {
    read_scope: {
      kind: "collect",
      enforces: true,
      expects: {
        what: "an object with table, where, params for each of its parameters, hiddenColumns or complete, and nothing else",
        is: (answer) => isReadScope(answer),
      },
    },
  },
  apply(rowhouse) {
    rowhouse.provide("rowAccess", {
      readable: async (actor, database, table) =>
        withBarrier(rowhouse, actor, database, await readable(rowhouse, actor, database, table)),
      readableMany: (actor, database, tables) => readableTables(rowhouse, { actor, database, tables }),
      describable: (actor, database, tables) => describableTables(rowhouse, { actor, database, tables }),
      async describe(actor, database, source) {
        const [only] = await redacted(rowhouse, actor, database, [source]);
        return only ?? source;
      },
      viewable: (actor, database, tables) => viewable(rowhouse, actor, database, tables),
    });
  },
  permission_allowed_many: inheritSourcePermissions,
});

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const SCOPE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  table: (value) => typeof value === "string",
  where: (value) => typeof value === "string",
  params: (value) => typeof value === "object" && value !== null,
  hiddenColumns: isTextList,
  complete: (value) => typeof value === "boolean",
};

/** Rejects unknown keys: a misspelt key would hide nothing. */
const isReadScope = (answer: unknown): boolean =>
  typeof answer === "object" &&
  answer !== null &&
  "table" in answer &&
  Object.entries(answer).every(
    ([key, value]) => Object.hasOwn(SCOPE_CHECKS, key) && SCOPE_CHECKS[key]?.(value),
  ) &&
  hasAllParameters(answer as ReadScope);

/** Rejects parameters without a value: a value of the request could be bound to them. */
const hasAllParameters = ({ where = "", params = {} }: ReadScope): boolean =>
  sqlTokens(where).every(
    ({ kind, text }) =>
      kind !== "parameter" || (text.startsWith(":") && Object.hasOwn(params, text.slice(1))),
  );
