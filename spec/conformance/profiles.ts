import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDatabase } from "../harness/raw-sqlite.js";
import { DATA } from "./cases.js";

/** What a server is started with. */
export interface Profile {
  readonly files: readonly string[];
  readonly immutable?: readonly string[];
  /** A file of the data folder, or the metadata itself. */
  readonly metadata?: string | object;
  /** Merged over the common ones; null means none at all. */
  readonly settings?: Settings | null;
  readonly flags?: readonly string[];
}

type Settings = Readonly<Record<string, string | number>>;

interface Common {
  readonly secret: string;
  readonly settings: Settings;
}

const { _common: common, ...profiles } = JSON.parse(readFileSync(join(DATA, "profiles.json"), "utf8")) as {
  readonly _common: Common;
} & Readonly<Record<string, Profile>>;

/** What every profile signs with. */
export const SECRET = common.secret;

const METADATA_FILE = "profile-metadata.json";
const SCRIPTS = { "fixtures.db": "fixtures.sql", "side car.v2.db": "extra.sql" } as const;

/** @throws Error when no profile has this name */
export function profile(name: string): Profile {
  const found = (profiles as Readonly<Record<string, Profile>>)[name];
  if (found === undefined) throw new Error(`No profile is called ${name}`);
  return found;
}

/** The settings of a profile, the common ones among them. */
export function settingsOf(name: string): Settings {
  const { settings } = profile(name);
  return settings === null ? {} : { ...common.settings, ...settings };
}

/** The metadata document of a profile, null where it has none. */
export function metadataOf(name: string): object | null {
  const { metadata = null } = profile(name);
  return typeof metadata === "string"
    ? (JSON.parse(readFileSync(join(DATA, metadata), "utf8")) as object)
    : metadata;
}

/** The arguments of `rowhouse` for a profile, to be run in a folder made by {@link profileFolder}. */
export function commandLine(name: string): readonly string[] {
  const { files, immutable = [], metadata, flags = [] } = profile(name);
  return [
    ...files,
    ...immutable.flatMap((file) => ["-i", file]),
    ...(metadata === undefined ? [] : ["-m", METADATA_FILE]),
    ...Object.entries(settingsOf(name)).flatMap(([setting, value]) => ["--setting", setting, String(value)]),
    ...flags,
    "--secret",
    SECRET,
  ];
}

/** A new folder with untouched copies of the profile's files. */
export async function profileFolder(name: string): Promise<string> {
  const { files, immutable = [] } = profile(name);
  const masters = await masterFolder();
  const folder = await mkdtemp(join(masters, "server-"));
  for (const file of [...files, ...immutable]) await copyFile(join(masters, file), join(folder, file));
  const metadata = metadataOf(name);
  if (metadata !== null) await writeFile(join(folder, METADATA_FILE), JSON.stringify(metadata));
  return folder;
}

let masters: Promise<string> | null = null;

/** The databases as their scripts make them: built once, copied for every server. */
function masterFolder(): Promise<string> {
  masters ??= buildMasters();
  return masters;
}

async function buildMasters(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-conformance-"));
  for (const [file, script] of Object.entries(SCRIPTS)) {
    await buildDatabase(join(folder, file), readFileSync(join(DATA, script), "utf8"));
  }
  return folder;
}

/** Removes everything that was built or copied. */
export async function removeFolders(): Promise<void> {
  const folder = await masters;
  masters = null;
  if (folder !== null) await rm(folder, { recursive: true, force: true });
}
