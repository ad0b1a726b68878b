import Module from "node:module";
import { fileURLToPath } from "node:url";
import { ownModules } from "./own-modules.js";
import { importsInThread, resolveInThread } from "./resolver-thread.js";

/** In the query of a module that a reload has imported again. */
export const RENEWAL = "rowhouse-reload";

const RENEWED = new RegExp(`[?]${RENEWAL}=\\d+$`);

/** Its specs load Rowhouse again, which is then the running one. */
const TESTING = ["rowhouse/testing", "rowhouse/testing/engine"];

/** The address of a module, as hooks of Node return it. */
interface Resolved {
  readonly url: string;
  readonly format?: string;
  readonly shortCircuit?: boolean;
}

interface ResolveContext {
  readonly parentURL?: string;
}

type Resolve = (
  name: string,
  context: ResolveContext,
  next: (name: string, context: ResolveContext) => Resolved,
) => Resolved;

/** What Node has since 22.15. Since 26 it warns of `register`, its predecessor. */
interface SynchronousHooks {
  registerHooks?(hooks: { readonly resolve: Resolve }): void;
}

let isRegistered = false;

/** The files that a file has imported by relative paths. */
const imports = new Map<string, Set<string>>();

/** The files that a file has imported by relative paths so far. */
export function importsOf(path: string): ReadonlySet<string> {
  for (const [importing, imported] of importsInThread()) addImport(importing, imported);
  return imports.get(path) ?? new Set();
}

function addImport(importing = "", imported: string): void {
  if (!importing.startsWith("file:") || !imported.startsWith("file:")) return;
  const path = fileURLToPath(importing);
  imports.set(path, (imports.get(path) ?? new Set()).add(fileURLToPath(imported)));
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
  const { registerHooks } = Module as SynchronousHooks;
  if (registerHooks === undefined) resolveInThread(urls, RENEWED);
  else registerHooks({ resolve: resolver(urls) });
}

/** Files of a plugin that a reload has imported again are imported again too. */
function resolver(urls: ReadonlyMap<string, string>): Resolve {
  return (name, context, next) => {
    const own = urls.get(name);
    if (own !== undefined) return { url: own, format: "module", shortCircuit: true };
    if (name.startsWith("rowhouse/")) return otherModule(() => next(name, context), name, urls);
    const found = next(name, context);
    if (!name.startsWith(".")) return found;
    addImport(context.parentURL, found.url);
    const query = RENEWED.exec(context.parentURL ?? "")?.[0];
    return query === undefined || found.url.includes("?") ? found : { ...found, url: found.url + query };
  };
}

/** @throws Error with the modules that there are */
function otherModule(find: () => Resolved, name: string, urls: ReadonlyMap<string, string>): Resolved {
  try {
    return find();
  } catch (error) {
    const modules = [...urls.keys()].toSorted().join(", ");
    throw new Error(`${name} is no module of Rowhouse. Its modules are ${modules}`, { cause: error });
  }
}
