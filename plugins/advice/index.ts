import { definePlugin } from "rowhouse/plugin-api";
import { databaseAdvice } from "./database-advice.js";
import { errorAdvice, statementAdvice } from "./statement-advice.js";

/** Why a statement is slow and which index would help, from the plan of the engine. */
export default definePlugin({
  name: "advice",
  deterministic: true,
  unguarded: true,
  provides: ["advice"],
  optional: ["confinement", "metadata", "rowAccess"],
  setup: (rowhouse) =>
    rowhouse.provide("advice", {
      ofStatement: (actor, statement) => statementAdvice(rowhouse, actor, statement),
      ofError: (actor, error) => errorAdvice(rowhouse, actor, error),
      ofDatabase: (database) => databaseAdvice(rowhouse, database),
    }),
});
