import { createRequire } from "node:module";
import { constants } from "node:os";
import { basename, dirname } from "node:path";
import type sqlite3Package from "sqlite3";
import { StartupError } from "rowhouse/plugin-api";

export type { Database, Statement } from "sqlite3";

type Driver = typeof sqlite3Package;

const NATIVE_BINARY = "node_sqlite3.node";

const require = createRequire(import.meta.url);
const isLoadedBefore = Object.keys(require.cache).some((path) => basename(path) === NATIVE_BINARY);

/** The npm package `sqlite3`. */
export const sqlite3: Driver = loadDriver();

/**
 * Loads the driver so that the dynamic linker resolves all symbols of its native binary at once.
 *
 * By default the linker resolves a function at its first call. SpatiaLite brings the system's SQLite library into
 * the global scope of the process, so functions of the driver that were not called before would be resolved to
 * that other library. Two SQLite libraries that work on one database handle end the process with a
 * segmentation fault.
 *
 * @throws StartupError when the native binary is missing or does not fit this machine
 */
function loadDriver(): Driver {
  const { dlopen } = process;
  process.dlopen = (module, path) => dlopen(module, path, constants.dlopen.RTLD_NOW);
  try {
    return require("sqlite3") as Driver;
  } catch (error) {
    throw new StartupError(`${failure(error as NodeJS.ErrnoException)}. ${remedy()}`, 1, { cause: error });
  } finally {
    process.dlopen = dlopen;
  }
}

function failure({ code, message }: NodeJS.ErrnoException): string {
  const [firstLine = ""] = message.split("\n");
  // Without a compiled binary the loader lists every place where it looked.
  const reason = firstLine.startsWith("Could not locate the bindings file")
    ? `${NATIVE_BINARY} is missing`
    : firstLine;
  return code === "MODULE_NOT_FOUND" && /'sqlite3'/.test(firstLine)
    ? "The package sqlite3 is not installed"
    : `The native binary of the package sqlite3 could not be loaded: ${reason}`;
}

/** The command that solves the problem, and where to run it. */
function remedy(): string {
  const needs = "without a prebuilt binary for this machine this needs a C++ compiler, make and Python";
  try {
    const project = dirname(require.resolve("sqlite3/package.json")).replace(/[/\\]node_modules[/\\].*$/, "");
    return `To build it, run 'npm rebuild sqlite3' in ${project} (${needs})`;
  } catch {
    return "To install it, run 'npm install'";
  }
}

/**
 * The reason why loading an extension would end the process; null if it is safe.
 *
 * @param path the extension's library
 */
export function extensionDanger(path: string): string | null {
  const isSafe = !isLoadedBefore || process.platform !== "linux" || Boolean(process.env["LD_BIND_NOW"]);
  if (isSafe || !basename(path).includes("spatialite")) return null;
  return (
    "the package sqlite3 was loaded before Rowhouse, in a way in which SpatiaLite ends the process. " +
    "Either import rowhouse before sqlite3, or start Node with LD_BIND_NOW=1"
  );
}
