import Module, { register } from "node:module";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { ownModules } from "./own-modules.js";

/** In the query of a module that a reload has imported again. */
export const RENEWAL = "rowhouse-reload";

/** Its specs load Rowhouse again, which is then the running one. */
const TESTING = ["rowhouse/testing", "rowhouse/testing/engine"];

/**
 * Runs in a thread of Node, which cannot access this module. Files of a plugin that a reload has imported again are
 * imported again too.
 */
const RESOLVER = `
let ours = {};
let port = null;
export const initialize = (data) => { ours = data.urls; port = data.port; };
const renewal = /[?]${RENEWAL}=\\d+$/;
export const resolve = async (name, context, next) => {
  if (Object.hasOwn(ours, name)) return { url: ours[name], format: "module", shortCircuit: true };
  const found = await next(name, context).catch((error) => {
    if (!name.startsWith("rowhouse/")) throw error;
    const modules = Object.keys(ours).sort().join(", ");
    throw new Error(name + " is no module of Rowhouse. Its modules are " + modules, { cause: error });
  });
  if (name.startsWith(".")) port.postMessage([context.parentURL, found.url]);
  const query = name.startsWith(".") ? renewal.exec(context.parentURL ?? "")?.[0] : undefined;
  return query === undefined || found.url.includes("?") ? found : { ...found, url: found.url + query };
};
`;

let isRegistered = false;

const resolved = new MessageChannel();
/** The files that a file has imported by relative paths. */
const imports = new Map<string, Set<string>>();

/** The files that a file has imported by relative paths so far. */
export function importsOf(path: string): ReadonlySet<string> {
  for (let next = receiveMessageOnPort(resolved.port1); next; next = receiveMessageOnPort(resolved.port1)) {
    const urls = next.message as readonly string[];
    if (!urls.every((url) => url.startsWith("file:"))) continue;
    const [parent = "", child = ""] = urls.map((url) => fileURLToPath(url));
    imports.set(parent, (imports.get(parent) ?? new Set()).add(child));
  }
  return imports.get(path) ?? new Set();
}

/** To be called before files are imported again: they may import others. */
export function forgetImports(paths: readonly string[]): void {
  for (const path of paths) imports.delete(path);
}

/**
 * Makes all later imports of Rowhouse return the running one. Plugins need no copy of their own. With a second copy
 * there would be two sets of classes, and `instanceof` would fail for errors of the other.
 */
export function shareRowhouse(): void {
  if (isRegistered) return;
  isRegistered = true;
  const urls = new Map([
    ...TESTING.map((name) => [name, import.meta.resolve(name)] as const),
    ...ownModules(),
  ]);
  register(`data:text/javascript,${encodeURIComponent(RESOLVER)}`, {
    data: { urls: Object.fromEntries(urls), port: resolved.port2 },
    transferList: [resolved.port2],
  });
  shareWithCommonJs(urls);
}

/**
 * The function that resolves names for `require`. Node has no public way to replace it before version 22.15.
 */
interface CommonJsLoader {
  _resolveFilename(name: string, ...others: readonly unknown[]): string;
}

function shareWithCommonJs(urls: ReadonlyMap<string, string>): void {
  const loader = Module as unknown as CommonJsLoader;
  const found = loader["_resolveFilename"];
  loader["_resolveFilename"] = function (this: unknown, name, ...others) {
    const url = urls.get(name);
    return url === undefined ? found.call(this, name, ...others) : fileURLToPath(url);
  };
}
