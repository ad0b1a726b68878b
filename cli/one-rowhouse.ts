import { register } from "node:module";

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
 * From here on, whatever imports Rowhouse gets the one that is running: a plugin needs no copy of its own beside
 * it, and where it has one, two sets of classes can't meet (an error of the one is no error to the other).
 */
export function shareThisRowhouse(): void {
  if (isRegistered) return;
  isRegistered = true;
  const urls = Object.fromEntries(NAMES.map((name) => [name, import.meta.resolve(name)]));
  register(`data:text/javascript,${encodeURIComponent(RESOLVER)}`, { data: urls });
}
