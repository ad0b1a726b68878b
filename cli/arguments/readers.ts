import { availableParallelism } from "node:os";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isObject } from "rowhouse/plugin-api";
import { isDatabaseAddress } from "rowhouse/plugin-api/engine";
import type { Place } from "./options.js";

/** A path, and its original spelling. */
export interface NamedPath {
  readonly path: string;
  readonly shown: string;
  /** The address of a database that is not a file: `postgres://user@host/shop`. */
  readonly uri?: string;
}

/** A folder of files served at `/mount/...`. */
export interface StaticMount {
  readonly mount: string;
  readonly folder: string;
}

export function text(raw: unknown, place: Place): string {
  if (typeof raw === "string") return raw;
  return place.refuse("should be text");
}

/** Node would listen on all addresses for an empty one, which an unset variable of a shell can be. */
export function hostName(raw: unknown, place: Place): string {
  const host = text(raw, place);
  return host === "" ? place.refuse("is empty. Use 0.0.0.0 to listen on all addresses") : host;
}

export function flag(raw: unknown, place: Place): boolean {
  if (typeof raw === "boolean") return raw;
  return place.refuse("should be true or false");
}

export function portNumber(raw: unknown, place: Place): number {
  const written = String(raw);
  if (!/^[+-]?\d+$/.test(written)) return place.refuse(`'${written}' is not a valid integer range.`);
  const port = Number(written);
  return port >= 0 && port <= 65535 ? port : place.refuse(`${port} is not in the range 0<=x<=65535.`);
}

/** One of several words. */
export const oneOf =
  <const Word extends string>(words: readonly Word[]) =>
  (raw: unknown, place: Place): Word =>
    words.find((word) => word === raw) ?? place.refuse(`should be one of ${words.join(", ")}`);

/** A number of processes; `auto` is one for each core. */
export function workerCount(raw: unknown, place: Place): number {
  if (raw === "auto") return availableParallelism();
  const count = Number(raw);
  const isCount = /^\d+$/.test(String(raw)) && count >= 1 && count <= MOST_WORKERS;
  return isCount
    ? count
    : place.refuse(`'${String(raw)}' should be auto or a number from 1 to ${MOST_WORKERS}`);
}

/** More than any machine has cores: probably a mistake. */
const MOST_WORKERS = 256;

/** A list, or a single item. */
export const list =
  <Item>(item: (raw: unknown, place: Place) => Item) =>
  (raw: unknown, place: Place): readonly Item[] =>
    (Array.isArray(raw) ? raw : [raw]).map((one) => item(one, place));

/** An empty path would be the current folder, which is served, or whose scripts run as plugins. */
function pathText(raw: unknown, place: Place): string {
  const written = text(raw, place);
  return written === "" ? place.refuse("is empty. The current folder is .") : written;
}

export function path(raw: unknown, place: Place): string {
  return resolve(place.folder, pathText(raw, place));
}

/** A path whose spelling is kept for listings. The file need not exist. */
function namedPath(raw: unknown, place: Place): NamedPath {
  const shown = pathText(raw, place);
  return { path: resolve(place.folder, shown), shown };
}

/** A password may have any character. `//host:5432/a@b` has a port. */
const PASSWORD = /^[^/]*\/\/[^/@]*:(?!\d+\/).*@/s;

/** A file of a database, or the address of a database that an engine plugin opens. */
export function databaseSource(raw: unknown, place: Place): NamedPath {
  const shown = text(raw, place);
  if (!isDatabaseAddress(shown)) return namedPath(shown, place);
  // Lists of processes and `rowhouse config` show addresses.
  if (PASSWORD.test(shown)) return place.refuse("The address of a database must not contain a password");
  return { path: shown, shown, uri: shown };
}

/** A file that exists, or the address of a database. */
export function existingSource(raw: unknown, place: Place): NamedPath {
  const source = databaseSource(raw, place);
  if (source.uri !== undefined || existsSync(source.path)) return source;
  return place.refuse(`Path '${source.shown}' does not exist.`);
}

/** A file that exists and does not change. */
export function immutableFile(raw: unknown, place: Place): NamedPath {
  const source = existingSource(raw, place);
  if (source.uri === undefined) return source;
  return place.refuse("Only files can be immutable: name the address of a database without this option");
}

export function existingFile(raw: unknown, place: Place): string {
  const named = namedPath(raw, place);
  if (existsSync(named.path)) return named.path;
  return place.refuse(`'${named.shown}': No such file or directory`);
}

export function existingDirectory(raw: unknown, place: Place): string {
  const { path: folder, shown } = namedPath(raw, place);
  if (!existsSync(folder)) return place.refuse(`Directory '${shown}' does not exist.`);
  return statSync(folder).isDirectory() ? folder : place.refuse(`Directory '${shown}' is a file.`);
}

/** `mount:folder`, several of them, or an object from mount to folder. */
export function staticMounts(raw: unknown, place: Place): readonly StaticMount[] {
  if (isObject(raw)) {
    return Object.entries(raw).map(([mount, folder]) => staticMount(`${mount}:${String(folder)}`, place));
  }
  return list(staticMount)(raw, place);
}

function staticMount(raw: unknown, place: Place): StaticMount {
  const written = text(raw, place);
  const colon = written.indexOf(":");
  if (colon === -1 || colon === written.length - 1)
    return place.refuse(`"${written}" should be of format mountpoint:directory`);
  const folder = resolve(place.folder, written.slice(colon + 1));
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    return place.refuse(`${written} is not a valid directory path`);
  }
  return { mount: written.slice(0, colon).replace(/^\/+|\/+$/g, ""), folder };
}

/** An actor as a JSON object or its text. */
export function actor(raw: unknown, place: Place): Readonly<Record<string, unknown>> {
  const value = typeof raw === "string" ? jsonOrNothing(raw) : raw;
  if (isObject(value)) return value;
  return place.refuse(`should be a JSON object such as '{"id": "root"}'`);
}

/** The value of a JSON text; undefined for invalid JSON. */
export function jsonOrNothing(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** `path` or `path:entrypoint`. The word `spatialite` is unchanged. */
export function extension(raw: unknown, place: Place): string {
  const written = text(raw, place);
  // The library search of the system finds names without a slash.
  return written.includes("/") ? resolve(place.folder, written) : written;
}
