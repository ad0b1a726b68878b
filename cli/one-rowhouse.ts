import Module, { register } from "node:module";
import { fileURLToPath } from "node:url";

/** The names under which plugins import Rowhouse. */
const NAMES = ["rowhouse", "rowhouse/config", "rowhouse/plugin-api", "rowhouse/plugins", "rowhouse/testing"];

/** Runs in a thread of Node's own, which sees nothing of this module. */
const RESOLVER = `
let ours = {};
export const initialize = (urls) => { ours = urls; };
export const resolve = (name, context, next) =>
  Object.hasOwn(ours, name) ? { url: ours[name], format: "module", shortCircuit: true } : next(name, context);
`;

let isRegistered = false;

/**
 * From here on, whatever imports or requires Rowhouse gets the one that is running: a plugin needs no copy of its
 * own beside it, and where it has one, two sets of classes can't meet (an error of the one is no error to the
 * other).
 */
export function shareThisRowhouse(): void {
  if (isRegistered) return;
  isRegistered = true;
  const urls = new Map(NAMES.map((name) => [name, import.meta.resolve(name)]));
  register(`data:text/javascript,${encodeURIComponent(RESOLVER)}`, { data: Object.fromEntries(urls) });
  shareWithCommonJs(urls);
}

/** What `require` turns a name into a file with. Node has no public way to it before version 22.15. */
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
