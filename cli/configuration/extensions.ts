import { existsSync } from "node:fs";
import { StartupError } from "rowhouse/plugin-api";

const SPATIALITE_PLACES = [
  "/usr/lib/x86_64-linux-gnu/mod_spatialite.so",
  "/usr/lib/aarch64-linux-gnu/mod_spatialite.so",
  "/usr/lib64/mod_spatialite.so",
  "/usr/lib/mod_spatialite.so",
  "/usr/local/lib/mod_spatialite.so",
  "/usr/local/lib/mod_spatialite.dylib",
  "/opt/homebrew/lib/mod_spatialite.dylib",
];

/**
 * Extensions in the form for SQLite. The word `spatialite` is searched in the usual folders.
 *
 * @throws StartupError if none of these folders contains it
 */
export const extensionFiles = (written: readonly string[]): readonly string[] =>
  written.map((extension) => (extension === "spatialite" ? spatialite() : extension));

function spatialite(): string {
  const found = SPATIALITE_PLACES.find((place) => existsSync(place));
  if (found === undefined) throw new StartupError("Could not find SpatiaLite extension");
  return found;
}
