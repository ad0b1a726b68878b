import Module, { register } from "node:module";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, type MessagePort } from "node:worker_threads";

/** Runs in a thread of Node, which cannot access this module. It does the same as `resolver` in `share-rowhouse.ts`. */
const RESOLVER = `
let ours = {};
let port = null;
let renewal = null;
export const initialize = (data) => {
  ours = data.urls;
  port = data.port;
  renewal = data.renewal;
};
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

/** Where the thread sends the addresses of an importing file and an imported one. */
let port: MessagePort | null = null;

/**
 * Resolves names in a thread, for versions of Node before 22.15.
 *
 * @param urls the modules of Rowhouse by name
 * @param renewal matches the end of the address of a module that a reload has imported again
 */
export function resolveInThread(urls: ReadonlyMap<string, string>, renewal: RegExp): void {
  const { port1, port2 } = new MessageChannel();
  port = port1;
  register(`data:text/javascript,${encodeURIComponent(RESOLVER)}`, {
    data: { urls: Object.fromEntries(urls), port: port2, renewal },
    transferList: [port2],
  });
  shareWithCommonJs(urls);
}

/** The addresses of importing and imported files that the thread has sent since the last call. */
export function* importsInThread(): Generator<readonly [importing: string, imported: string]> {
  if (port === null) return;
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    yield next.message as readonly [string, string];
}

/** The function that resolves names for `require`, which does not ask the thread. */
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
