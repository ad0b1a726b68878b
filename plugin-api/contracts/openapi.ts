import { isObject } from "../engine/values.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import type { Nothing } from "../kernel/hooks.js";
import type { ApiDescription } from "../openapi/describe.js";

const FUNCTIONS = [
  "schemas",
  "securitySchemes",
  "instance",
  "database",
  "table",
  "tableSchemas",
  "rowParameters",
];

/** The hooks about the description of the API. The plugin openapi owns them. */
export const openapiHooks = defineHooks({
  /** Each document of the API: the endpoints of the plugin. */
  describe_api: hook.collect<Nothing, ApiDescription>({
    expects: {
      what: `a description of endpoints: a list of actions, and functions ${FUNCTIONS.join(", ")}`,
      is: (answer) =>
        isObject(answer) &&
        (answer["actions"] === undefined || Array.isArray(answer["actions"])) &&
        FUNCTIONS.every((name) => answer[name] === undefined || typeof answer[name] === "function"),
    },
    affects: "nothing",
    failing: "skip",
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof openapiHooks> {}
}
