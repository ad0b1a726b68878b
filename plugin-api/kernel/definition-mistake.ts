import { isObject, isPlainObject } from "../engine/values.js";
import { StartupError } from "../errors/index.js";
import { hook } from "./define-hooks.js";
import type { HookFunctions } from "./hooks.js";
import { API_VERSION, type Plugin } from "./plugin.js";

type Check = readonly [what: string, fits: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === "string";
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isFunction: Check = ["a function", (value) => typeof value === "function"];
const isSwitch: Check = ["true or false", (value) => typeof value === "boolean"];
const areNames: Check = ["a list of names", (value) => isList(value) && value.every(isText)];

const isFolder: Check = [
  'a file URL of a folder, such as new URL("static/", url) with the url of import.meta',
  (value) => URL.canParse(String(value)) && new URL(String(value)).protocol === "file:",
];

const KINDS = Object.keys(hook);

const areHooks: Check = [
  `an object of declarations, each with one of the kinds ${KINDS.join(", ")}`,
  (value) =>
    isObject(value) &&
    Object.values(value).every((spec) => KINDS.includes(String(isObject(spec) ? spec["kind"] : spec))),
];

const isSetting = (value: unknown): boolean =>
  isObject(value) &&
  /^\S+$/.test(String(value["name"])) &&
  ["name", "help"].every((member) => isText(value[member])) &&
  ["string", "number", "boolean"].includes(typeof value["default"]) &&
  (typeof value["default"] !== "number" || isWhole(value["default"])) &&
  ["undefined", "function"].includes(typeof value["check"]);

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** The members of a plugin that are no hook functions. */
const MEMBERS: Readonly<Record<Exclude<keyof Plugin, keyof HookFunctions>, Check>> = {
  name: ["text", (value) => isText(value) && value !== ""],
  version: ["text", isText],
  apiVersion: ["a number", (value) => typeof value === "number"],
  hooks: areHooks,
  optionalHooks: areNames,
  provides: areNames,
  requires: areNames,
  optional: areNames,
  settings: [
    "a list of objects with name (text without blanks), help (text), default (an integer from 0 on, text, true or false), and check (a function) if any",
    (value) => isList(value) && value.every(isSetting),
  ],
  deterministic: isSwitch,
  unguarded: isSwitch,
  static: isFolder,
  templates: isFolder,
  setup: isFunction,
  apply: isFunction,
  wrapHook: isFunction,
};

/** True for a member of a plugin that is no hook function, such as `settings`. */
export const isMember = (key: string): key is keyof typeof MEMBERS => Object.hasOwn(MEMBERS, key);

const STAGES = ["early", "late", "last"];

/** The members of `only`. */
const LIMITS: Readonly<Record<string, Check>> = {
  actions: areNames,
  arguments: areNames,
  database: ["text", isText],
};

/**
 * What is wrong with the definition of a plugin, as end of a sentence; null for a valid one. Hooks that do not exist and
 * their functions are not checked.
 *
 * @example
 * definitionMistake({ name: "mine", requires: "tables" }); // "requires should be a list of names"
 * definitionMistake({ name: "mine", startup: { order: "erly", run() {} } }); // "order of startup should be early, late or last"
 */
export function definitionMistake(plugin: object): string | null {
  // The methods of a class are not among the entries of its instances: a plugin that denies something would not do it.
  if (!isPlainObject(plugin)) return "it is an instance of a class; write definePlugin({ ... })";
  for (const [key, value] of Object.entries(plugin)) {
    if (value === undefined) continue;
    const mistake = isMember(key) ? mistakeIn(key, value, MEMBERS[key]) : tapMistake(key, value);
    if (mistake !== null) return mistake;
  }
  return null;
}

/**
 * The plugin, if its definition has no mistake and its `apiVersion` is that of this server.
 *
 * @example
 * checkedDefinition({ name: "mine", startup: () => undefined }).name; // "mine"
 * @throws StartupError with the name of the plugin
 */
export function checkedDefinition(plugin: Plugin): Plugin {
  const { name, apiVersion = API_VERSION } = plugin;
  const mistake = definitionMistake(plugin);
  if (mistake !== null) throw new StartupError(`Plugin ${name}: ${mistake}`);
  if (apiVersion === API_VERSION) return plugin;
  throw new StartupError(
    `Plugin ${name} was made for plugin API version ${apiVersion}; this is version ${API_VERSION}`,
  );
}

/**
 * What `setup` returned.
 *
 * @example
 * Object.keys(setUpHooks({ startup: () => undefined }) ?? {}); // ["startup"]
 * @throws TypeError for an instance of a class, whose methods would be ignored, and for what is no object
 */
export function setUpHooks(returned: HookFunctions | void): HookFunctions | void {
  if (returned === undefined || returned === null || isPlainObject(returned)) return returned;
  const what = isObject(returned)
    ? "an instance of a class"
    : `a ${Array.isArray(returned) ? "list" : typeof returned}`;
  throw new TypeError(`it returned ${what} instead of an object of hook functions`);
}

const mistakeIn = (name: string, value: unknown, [what, fits]: Check): string | null =>
  fits(value) ? null : `${name} should be ${what}`;

/** What is wrong with the place or the limits of a hook function. */
function tapMistake(hook: string, value: unknown): string | null {
  if (!isObject(value) || typeof value["run"] !== "function") return null;
  const { order, only = {} } = value;
  if (order !== undefined && !STAGES.includes(String(order)))
    return `order of ${hook} should be early, late or last`;
  if (!isObject(only)) return `only of ${hook} should be an object`;
  for (const [key, limit] of Object.entries(only)) {
    const check = Object.hasOwn(LIMITS, key) ? LIMITS[key] : undefined;
    if (check === undefined)
      return `only of ${hook} has no member ${key}: use actions, arguments or database`;
    const mistake = limit === undefined ? null : mistakeIn(`${key} in only of ${hook}`, limit, check);
    if (mistake !== null) return mistake;
  }
  return null;
}
