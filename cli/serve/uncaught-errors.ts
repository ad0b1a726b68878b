import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf, type Log } from "rowhouse/plugin-api";

/** The module of each plugin by its name, also of those that a reload has replaced. */
const files = new Map<string, string>();
let report: ((error: unknown) => boolean) | null = null;

/**
 * Keeps the server running if a plugin fails outside of a hook call: in a timer, a listener, or a promise that is not
 * awaited. An exception that belongs to no plugin ends the process.
 *
 * Called again after a reload.
 *
 * @param loaded the module of each plugin by its name
 */
export function logUncaughtErrors(loaded: ReadonlyMap<string, string>, log: Log): void {
  const isFirst = report === null;
  for (const [name, path] of loaded) files.set(name, path);
  report = (error) => {
    const plugin = pluginOf(error);
    const subject = plugin === null ? "Something" : `Plugin ${plugin}`;
    log.error(`${subject} failed outside any request: ${messageOf(error)}`, error);
    return plugin !== null;
  };
  if (!isFirst) return;
  process.on("unhandledRejection", (error) => report?.(error));
  process.on("uncaughtException", (error) => {
    if (report?.(error) !== true) process.exit(1);
  });
}

/** The plugin whose module or folder is the first in the stack trace. */
function pluginOf(error: unknown): string | null {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").slice(1) : [];
  const comesThrough = (path: string): boolean =>
    frames.some((frame) => frame.includes(path) || frame.includes(pathToFileURL(path).href));
  const entries = [...files];
  const found =
    entries.find(([, path]) => comesThrough(path)) ??
    entries.find(([, path]) => comesThrough(`${dirname(path)}/`));
  return found?.[0] ?? null;
}
