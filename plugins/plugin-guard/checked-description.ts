import { isObject, type Rowhouse } from "rowhouse/plugin-api";
import { PluginError } from "rowhouse/plugin-api/errors";
import { synchronous } from "rowhouse/plugin-api/kernel";
import type { ApiDescription } from "rowhouse/plugin-api/openapi";
import { asPromise, inTime } from "./time-limit.js";

interface Rule {
  /** Completes the sentence "it should be ...". */
  readonly what: string;
  is(answer: unknown): boolean;
  /** What the document has instead of a result that fails. */
  readonly nothing: object;
}

const isEndpoint = (value: unknown): boolean =>
  isObject(value) &&
  typeof value["path"] === "string" &&
  typeof value["method"] === "string" &&
  isObject(value["operation"]) &&
  typeof value["operation"]["operationId"] === "string" &&
  Array.isArray(value["operation"]["tags"]) &&
  isObject(value["operation"]["responses"]) &&
  declaresPath(value["path"], value["operation"]["parameters"]);

/** True if there is a parameter for each `{name}` of a path. What a reference means is not known here. */
function declaresPath(path: string, parameters: unknown): boolean {
  const all = Array.isArray(parameters) ? parameters.filter(isObject) : [];
  if (all.some((one) => "$ref" in one)) return true;
  const declared = new Set(all.filter((one) => one["in"] === "path").map(({ name }) => name));
  return [...path.matchAll(/\{([^{}]*)\}/g)].every(([, name]) => declared.has(name));
}

const endpoints: Rule = {
  what: "a list of endpoints, as getEndpoint makes them, each with the parameters of its path",
  is: (answer) => Array.isArray(answer) && answer.every(isEndpoint),
  nothing: [],
};

const objects: Rule = { what: "an object with a schema for each name", is: isObject, nothing: {} };

const parameters: Rule = {
  what: "a list of parameters, as queryArgument makes them",
  is: (answer) => Array.isArray(answer) && answer.every(isObject),
  nothing: [],
};

type Functions = Exclude<keyof ApiDescription, "actions" | "parameters">;

/** What the functions of a description return. */
const RULES: Readonly<Record<Functions, Rule>> = {
  instance: endpoints,
  database: endpoints,
  table: endpoints,
  schemas: objects,
  tableSchemas: objects,
  securitySchemes: objects,
  rowParameters: parameters,
  documentParameters: parameters,
};

const MAY_WAIT: ReadonlySet<string> = new Set(["instance", "database"] satisfies Functions[]);

/**
 * The functions of a description of the API. If one fails, the document has nothing of it, and the log names the plugin:
 * once for a document, which calls the functions of tables for each table.
 */
export function checkedDescription(part: object, plugin: string, rowhouse: Rowhouse): object {
  const limitMs = rowhouse.setting("hook_time_limit_ms");
  let isLogged = false;
  const fail = (name: string, error: unknown): void => {
    if (!isLogged)
      rowhouse.log.error(new PluginError(plugin, `${name} of describe_api`, error).message, error);
    isLogged = true;
  };
  const functions = Object.entries(RULES).flatMap(([name, rule]) => {
    const run: unknown = Reflect.get(part, name);
    if (typeof run !== "function") return [];
    const call = (argument: unknown): unknown => asPromise(Reflect.apply(run, part, [argument]));
    const result = (answer: unknown): unknown => {
      if (answer === null || answer === undefined) return rule.nothing;
      if (!rule.is(answer)) throw new TypeError(`it should be ${rule.what}`);
      return answer;
    };
    const guarded = MAY_WAIT.has(name)
      ? async (argument: unknown): Promise<unknown> => {
          try {
            return result(await inTime(call(argument), limitMs));
          } catch (error) {
            fail(name, error);
            return rule.nothing;
          }
        }
      : (argument: unknown): unknown => {
          try {
            return result(synchronous(call(argument), "it"));
          } catch (error) {
            fail(name, error);
            return rule.nothing;
          }
        };
    return [[name, guarded] as const];
  });
  return Object.fromEntries(functions) as object;
}
