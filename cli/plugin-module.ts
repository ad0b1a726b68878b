import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { API_VERSION, StartupError, type Plugin, type Rowhouse } from "rowhouse/plugin-api";
import { isBlock } from "./choices.js";

/** Where a plugin's code is and what is known of it before it is loaded. */
export interface PluginFile {
  /** How messages call it: the package or path as the person wrote it. */
  readonly shown: string;
  readonly path: string;
  /** Its name where it does not state one. */
  readonly name: string;
  readonly version: string | null;
  readonly apiVersion: number | null;
}

/**
 * Imports a plugin and checks its shape.
 *
 * @throws StartupError naming the plugin and the reason
 */
export async function importPlugin(file: PluginFile): Promise<Plugin> {
  const refuse = (reason: string): never => {
    throw new StartupError(`Plugin ${file.shown} could not be loaded: ${reason}`);
  };
  let module: unknown;
  try {
    module = await import(pathToFileURL(file.path).href);
  } catch (error) {
    return refuse(importFailure(error));
  }
  const exported = exportedObject(module);
  if (exported === null)
    return refuse(`${basename(file.path)} should export an object of hooks as its default`);
  const plugin = { name: file.name, ...withPlainHooks(exported) } as Plugin;
  if (typeof plugin.name !== "string" || plugin.name === "") return refuse("its name should be text");
  const wanted = plugin.apiVersion ?? file.apiVersion ?? API_VERSION;
  if (wanted !== API_VERSION) {
    return refuse(`it was made for plugin API version ${wanted}; this is version ${API_VERSION}`);
  }
  return plugin;
}

/** The default export (also of CommonJS); a module of nothing but named functions counts as the object itself. */
function exportedObject(module: unknown): Readonly<Record<string, unknown>> | null {
  if (!isBlock(module)) return null;
  const exported = module["default"];
  if (isBlock(exported)) return isBlock(exported["default"]) ? exported["default"] : exported;
  const functions = Object.entries(module).filter(([, value]) => typeof value === "function");
  return exported === undefined && functions.length > 0 ? { ...module } : null;
}

type Hook = (...args: readonly unknown[]) => unknown;

/**
 * Turns `hooks: { startup({ rowhouse }) {...} }` into hooks of the plugin itself: such functions are handed one
 * object, or, when they name two parameters, the service and the arguments. Kinds of own hooks stay in `hooks`.
 */
function withPlainHooks(exported: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { hooks, ...plugin } = exported;
  if (!isBlock(hooks)) return exported;
  const owned = Object.entries(hooks).filter(([, value]) => typeof value === "string");
  const functions = Object.entries(hooks).flatMap(([name, value]) =>
    typeof value === "function" ? [[name, fitted(value as Hook)] as const] : [],
  );
  return {
    ...plugin,
    ...Object.fromEntries(functions),
    ...(owned.length > 0 && { hooks: Object.fromEntries(owned) }),
  };
}

const fitted =
  (hook: Hook) =>
  (rowhouse: Rowhouse, args: object): unknown =>
    hook.length >= 2 ? hook(rowhouse, args) : hook({ ...args, rowhouse });

/** One line: what is missing or wrong, without the loader's own stack. */
function importFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first = ""] = error.message.split("\n");
  return error instanceof SyntaxError ? `${first} (${syntaxPlace(error)})` : first;
}

function syntaxPlace(error: SyntaxError): string {
  const [place = ""] = (error.stack ?? "").split("\n");
  return place.startsWith("file:") || place.startsWith("/") ? basename(place) : "syntax error";
}
