import { isObject, type Page, type Route, type Rowhouse } from "rowhouse/plugin-api";
import { nearNames } from "rowhouse/plugin-api/names";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The names in the path that the target of each kind is found by. */
const NAMES_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  instance: [],
  database: [":database"],
  table: [":database", ":resource"],
  query: [":database", ":resource"],
  row: [":database", ":resource", ":key"],
};

const BUNDLED_LOCATORS = ["tables", "queries"];

const FUNCTIONS = ["when", "permissions", "requires", "visibleWith", "verify"] as const;
/** Checks that the kernel makes only if the route has `requires`. */
const ONLY_WITH_REQUIRES = ["visibleWith", "verify"];
const MEMBERS: readonly string[] = [
  "name",
  "method",
  "path",
  "target",
  "view",
  "mutates",
  "refusal",
  ...FUNCTIONS,
];

/**
 * Why requests would not reach the route, or would be authorized in another way than its plugin meant; null for a valid
 * route.
 */
export const routeMistake = (rowhouse: Rowhouse, route: Route): string | null =>
  memberMistake(route) ?? addressMistake(rowhouse, route);

/** A misspelt `permissions` would make the route public. Members that resemble no other may belong to the plugin. */
function memberMistake(route: Route): string | null {
  const named = `the route ${route.name ?? String(route.path)}`;
  for (const [member, value] of Object.entries(route)) {
    const [near] = MEMBERS.includes(member) ? [] : nearNames(member, MEMBERS, 1);
    if (near !== undefined) return `${named} has no member ${member}, did you mean ${near}?`;
    if (value !== undefined && route.requires === undefined && ONLY_WITH_REQUIRES.includes(member))
      return `${member} of ${named} has no effect without requires`;
  }
  const wrong = FUNCTIONS.find((name) => route[name] !== undefined && typeof route[name] !== "function");
  return wrong === undefined ? null : `${wrong} of ${named} should be a function`;
}

function addressMistake(rowhouse: Rowhouse, route: Route): string | null {
  const { method = "GET", path, target = "instance" } = route;
  const of = `of the route ${route.name ?? String(path)}`;
  if (!METHODS.includes(method))
    return `the method ${of} is ${String(method)}; it should be ${oneOf(METHODS)}`;
  if (typeof path === "string" && !path.startsWith("/")) return `the path ${of} should begin with /`;
  const needed = NAMES_BY_KIND[target];
  if (needed === undefined && !rowhouse.plugins.some(addsKinds))
    return `the target ${of} is ${String(target)}; it should be ${oneOf(Object.keys(NAMES_BY_KIND))}`;
  const missing = needed?.filter((name) => !namesIn(path).includes(name)) ?? [];
  if (missing.length === 0) return null;
  return `the path ${of} should contain ${missing.join(" and ")}, because its target is a ${target}`;
}

/** A plugin that finds resources can have kinds of its own. */
const addsKinds = ({ name, hooks }: Rowhouse["plugins"][number]): boolean =>
  hooks.includes("locate_resource") && !BUNDLED_LOCATORS.includes(name);

/** The kernel looks up no names of a RegExp. */
const namesIn = (path: string | RegExp): readonly string[] =>
  typeof path === "string" ? (path.match(/(?<=\/):\w+/g) ?? []) : [];

const oneOf = (texts: readonly string[]): string => `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;

const MIN_STATUS = 200;
const MAX_STATUS = 999;

/** What is wrong with a page, which renderers take as their types say; null for a valid one. */
export function pageMistake({ status = MIN_STATUS, rows, stream }: Page): string | null {
  if (!Number.isInteger(status) || status < MIN_STATUS || status > MAX_STATUS)
    return `the status of its page is ${String(status)}; it should be a number from ${MIN_STATUS} to ${MAX_STATUS}`;
  if (rows !== undefined && !isRowSet(rows))
    return "the rows of its page should have columns, keys, cells and json: lists, or null for cells or json";
  if (stream !== undefined && !isRowStream(stream))
    return "the stream of its page should have columns, keys, labelled (lists) and batches (an asynchronous iterable)";
  return null;
}

const isList = (value: unknown): boolean => Array.isArray(value);

const isRowSet = (rows: unknown): boolean =>
  isObject(rows) &&
  isList(rows["columns"]) &&
  isList(rows["keys"]) &&
  [rows["cells"], rows["json"]].every((form) => form === null || isList(form));

const isRowStream = (stream: unknown): boolean =>
  isObject(stream) &&
  ["columns", "keys", "labelled"].every((name) => isList(stream[name])) &&
  typeof Object(stream["batches"])[Symbol.asyncIterator] === "function";
