import { isObject, StartupError, type MetadataBlock, type Rowhouse } from "rowhouse/plugin-api";
import { keyText, type KeyPath } from "rowhouse/plugin-api/metadata";
import { nearNames } from "rowhouse/plugin-api/names";
import type { Metadata } from "rowhouse/plugin-api/contracts";
import { blocksUnder, ownValue } from "./metadata-blocks.js";

/**
 * Checks the types of all `allow`, `allow_sql` and `permissions` blocks of the metadata.
 *
 * @throws StartupError for the first block that can never match because of its type
 */
export function checkBlocks(metadata: Metadata): void {
  for (const [path, value] of allowValues(metadata)) {
    if (value === null || typeof value === "boolean" || isObject(value)) continue;
    throw new StartupError(
      `${metadata.placeOf(path)}: ${keyText(path)} must be true, false, null or an object, not ${JSON.stringify(value)}`,
    );
  }
}

/** Warns about actions in `permissions` blocks that no plugin registers: they have no effect. */
export function warnOfUnknownActions({ permissions, log }: Rowhouse, metadata: Metadata): void {
  for (const [path] of allowValues(metadata)) {
    const action = path.at(-1) ?? "";
    if (path.at(-2) !== "permissions" || permissions.registered.has(action)) continue;
    const [near] = nearNames(action, permissions.registered.keys(), 1);
    const advice = near === undefined ? "." : `, did you mean ${near}?`;
    log.warn(`${metadata.placeOf(path)}: ${keyText(path)} names no permission${advice} It has no effect`);
  }
}

const KEYS = ["allow", "allow_sql", "permissions"];
/** Shorter keys, such as `all`, are words of their own: other plugins can have keys in the metadata. */
const SHORTEST = 4;

/** Warns about keys that are almost one of these: what is written under `alow` denies nothing. */
export function warnOfMisspeltKeys({ log }: Rowhouse, { document, placeOf }: Metadata): void {
  const nearest = new Map<string, string | undefined>(KEYS.map((key) => [key, undefined]));
  for (const [path, block] of levels(document)) {
    for (const key of Object.keys(block)) {
      if (!nearest.has(key)) nearest.set(key, key.length < SHORTEST ? undefined : nearNames(key, KEYS, 1)[0]);
      const near = nearest.get(key);
      if (near === undefined) continue;
      const place = [...path, key];
      log.warn(`${placeOf(place)}: ${keyText(place)} is not known, did you mean ${near}? It has no effect`);
    }
  }
}

type Found = readonly [path: KeyPath, value: unknown];

function* allowValues({ document, placeOf }: Metadata): Generator<Found> {
  for (const [path, block] of levels(document)) {
    for (const key of ["allow", "allow_sql"]) {
      if (Object.hasOwn(block, key)) yield [[...path, key], block[key]];
    }
    const permissions = ownValue(block, "permissions") ?? {};
    const permissionsPath = [...path, "permissions"];
    if (!isObject(permissions)) {
      throw new StartupError(`${placeOf(permissionsPath)}: ${keyText(permissionsPath)} must be an object`);
    }
    for (const [action, value] of Object.entries(permissions)) yield [[...permissionsPath, action], value];
  }
}

/** The instance, each database, and each table and query in it. */
function* levels(document: MetadataBlock): Generator<readonly [KeyPath, MetadataBlock]> {
  yield [[], document];
  for (const [database, block] of blocksUnder(document, "databases")) {
    const path = ["databases", database];
    yield [path, block];
    for (const kind of ["tables", "queries"]) {
      for (const [name, inner] of blocksUnder(block, kind)) yield [[...path, kind, name], inner];
    }
  }
}
