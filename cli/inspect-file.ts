import { StartupError, type InspectedDatabase, isObject } from "rowhouse/plugin-api";
import { readJsonFile, shownPath } from "./metadata-file.js";

export type Inspected = Readonly<Record<string, InspectedDatabase>>;

/**
 * Reads the output of `rowhouse inspect`: hash and row counts by database name.
 *
 * @throws StartupError for other files
 */
export function readInspectFile(path: string | undefined): Inspected {
  if (path === undefined) return {};
  const data = readJsonFile(path);
  if (isObject(data) && Object.values(data).every(isInspected)) return data as unknown as Inspected;
  throw new StartupError(`Could not read ${shownPath(path)}: it is not the output of rowhouse inspect`);
}

const isInspected = (value: unknown): boolean => isObject(value) && isObject(value["tables"]);
