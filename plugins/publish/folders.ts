import { statSync } from "node:fs";
import { resolve } from "node:path";
import { refuseValue, valueOf, type Values } from "./values.js";

/** Files to serve at `/mount/...`. */
export interface StaticFolder {
  readonly mount: string;
  readonly path: string;
}

/** The folder an option names, null where it was not given. @throws StartupError (usage) where there is none */
export function directoryOf(values: Values, name: string): string | null {
  const shown = valueOf(values, name);
  if (shown === null) return null;
  const found = statSync(shown, { throwIfNoEntry: false });
  if (found === undefined) return refuseValue(`'--${name}'`, `Directory '${shown}' does not exist.`);
  return found.isDirectory() ? resolve(shown) : refuseValue(`'--${name}'`, `Directory '${shown}' is a file.`);
}

/** @throws StartupError (usage) for what is not `mount:folder` */
export const staticMounts = (written: readonly string[]): readonly StaticFolder[] =>
  written.map((one) => {
    const colon = one.indexOf(":");
    if (colon === -1) return refuseValue("'--static'", `"${one}" should be of format mountpoint:directory`);
    const path = resolve(one.slice(colon + 1));
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
      return refuseValue("'--static'", `${one} is not a valid directory path`);
    return { mount: one.slice(0, colon), path };
  });
