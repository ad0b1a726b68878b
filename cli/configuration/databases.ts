import { existsSync, realpathSync } from "node:fs";
import { parse, resolve } from "node:path";
import { StartupError, type Log } from "rowhouse/plugin-api";
import type { InspectedDatabase } from "rowhouse/plugin-api/contracts";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import { freeName } from "rowhouse/plugin-api/names";
import { attachable } from "rowhouse/plugin-api/sql";
import type { PartialChoices } from "../arguments/choices.js";
import type { NamedPath } from "../arguments/readers.js";

const MEMORY_NAME = "_memory";
/** Reserved for the database of the server itself, which contains tokens and the log of changes. */
const INTERNAL_NAME = "_internal";
/** Below `/-/` are the pages of the server. */
const NAME_OF_PATHS = "-";

/**
 * The databases to open, in the order of listings: `_memory` if requested, mutable files, immutable files. A file
 * that is given twice is opened once, as immutable if one of them is. Names that are taken or reserved get `_2`, `_3`.
 *
 * @throws StartupError for a file that does not exist and may not be created, and for the internal database
 */
export function databaseLocations(
  choices: PartialChoices,
  inspected: Readonly<Record<string, InspectedDatabase>>,
  log: Log,
): readonly DatabaseLocation[] {
  const immutable = uniqueFiles(choices.immutable ?? []);
  const frozen = new Set(immutable.map(realPath));
  const files = uniqueFiles(choices.files ?? []).filter((file) => !frozen.has(realPath(file)));
  for (const file of files) mustExist(file, choices.create === true);
  for (const file of [...files, ...immutable]) mustBePublic(file, choices.internal);
  const wantsMemory = choices.memory === true || choices.crossdb === true;
  const hasMemory = wantsMemory || files.length + immutable.length === 0;
  const taken = new Set([INTERNAL_NAME, NAME_OF_PATHS, ...(hasMemory ? [MEMORY_NAME] : [])]);
  const named = (file: NamedPath) => {
    const name = freeName(nameOf(file), taken);
    taken.add(name);
    return fileLocation(file, name);
  };
  const locations = [
    ...files.map((file) => ({
      ...named(file),
      mutable: true,
      ...openMode(choices),
    })),
    ...immutable.map((file) => immutableLocation(named(file), inspected)),
  ];
  if (!hasMemory) return locations;
  const attach = choices.crossdb === true ? attachments(locations, log) : [];
  return [{ ...memoryLocation(attach), ...openMode({ create: choices.create === true }) }, ...locations];
}

function uniqueFiles(files: readonly NamedPath[]): readonly NamedPath[] {
  const byRealPath = new Map<string, NamedPath>();
  for (const file of files) {
    const real = realPath(file);
    if (!byRealPath.has(real)) byRealPath.set(real, file);
  }
  return [...byRealPath.values()];
}

const realPath = ({ path, uri }: NamedPath): string => uri ?? realFile(path);

/** The path without links, if the file exists. */
export const realFile = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

function mustBePublic(file: NamedPath, internal: string | undefined): void {
  if (internal === undefined || realPath(file) !== realFile(internal)) return;
  throw new StartupError(
    `${file.shown} is the file of --internal, which contains tokens and the log of changes: it can't be served`,
  );
}

function mustExist({ path, shown, uri }: NamedPath, mayCreate: boolean): void {
  if (mayCreate || uri !== undefined || existsSync(path)) return;
  throw new StartupError(`Invalid value for '[FILES]...': Path '${shown}' does not exist.`);
}

const nameOf = ({ path, uri }: NamedPath): string =>
  uri === undefined ? parse(path).name : nameInAddress(uri);

/** The last part of the path: `shop` of `postgres://host/shop?schema=public`. */
function nameInAddress(uri: string): string {
  const [, host = "", path = ""] = /^[^:]+:\/\/([^/?#]*)\/?([^?#]*)/.exec(uri) ?? [];
  const last = path.split("/").findLast((part) => part !== "") ?? "";
  return decodedOrSame(last) || host || "database";
}

/** The engine reports an address that is not percent-encoded. */
function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const fileLocation = ({ path, shown, uri = `file:${path}` }: NamedPath, name: string) => ({
  uri,
  name,
  shownPath: shown,
});

const openMode = ({ create, nolock }: PartialChoices) => ({
  ...(create === true && { create }),
  ...(nolock === true && { nolock }),
});

function immutableLocation(
  location: ReturnType<typeof fileLocation>,
  inspected: Readonly<Record<string, InspectedDatabase>>,
): DatabaseLocation {
  const hash = Object.hasOwn(inspected, location.name) ? inspected[location.name]?.hash : undefined;
  return { ...location, mutable: false, ...(hash !== undefined && { hash }) };
}

const memoryLocation = (attach: NonNullable<DatabaseLocation["attach"]>): DatabaseLocation => ({
  uri: "memory:",
  name: MEMORY_NAME,
  mutable: false,
  ...(attach.length > 0 && { attach }),
});

function attachments(
  locations: readonly DatabaseLocation[],
  log: Log,
): NonNullable<DatabaseLocation["attach"]> {
  const { attached, refused, surplus } = attachable(locations.filter(({ uri }) => uri.startsWith("file:")));
  if (surplus > 0) {
    const most = attached.length + refused.length;
    log.warn(`--crossdb only works with the first ${most} attached databases`);
  }
  for (const { name } of refused) {
    log.warn(`--crossdb leaves out ${name}: SQLite can't attach another database of this name`);
  }
  return attached.map(({ name, uri }) => ({ name, path: uri.slice("file:".length) }));
}
