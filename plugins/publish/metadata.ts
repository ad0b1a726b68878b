import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isObject, messageOf, StartupError } from "rowhouse/plugin-api";
import type { PluginSecret } from "./secrets.js";
import { METADATA_SHORTCUTS, refuseValue, valueOf, type Values } from "./options.js";

/** The metadata of the site. */
export type Metadata = Readonly<Record<string, unknown>>;

/** The metadata in a file, JSON or YAML by its content; empty without a file. @throws StartupError */
export async function readMetadata(path: string | null): Promise<Metadata> {
  if (path === null) return {};
  const document = await parsed(readText(path), path);
  if (isObject(document)) return document;
  throw new StartupError(`Metadata is not valid JSON or YAML: ${basename(path)} should hold an object`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw new StartupError(`Could not read ${path}: ${messageOf(error)}`);
    return refuseValue("'-m' / '--metadata'", `'${path}': No such file or directory`);
  }
}

/** JSON first: YAML would read some of it differently. */
async function parsed(written: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(written);
  } catch {
    // Loads the YAML parser only if needed.
    const { default: yaml } = await import("yaml");
    try {
      return yaml.parse(written);
    } catch (error) {
      const [reason] = messageOf(error).split("\n");
      throw new StartupError(`Metadata is not valid JSON or YAML: ${basename(path)}, ${reason}`);
    }
  }
}

/** Adds `--title` and similar options, which override the file. */
export function withShortcuts(metadata: Metadata, values: Values): Metadata {
  const given = METADATA_SHORTCUTS.flatMap((name) => {
    const text = valueOf(values, name);
    return text === null ? [] : [[name, text] as const];
  });
  return { ...metadata, ...Object.fromEntries(given) };
}

/** Adds references to the environment variables of the secrets of plugins. */
export function withPluginSecrets(metadata: Metadata, secrets: readonly PluginSecret[]): Metadata {
  return secrets.reduce<Metadata>((before, { plugin, setting, variable }) => {
    const plugins = blockAt(before, "plugins");
    const settings = { ...blockAt(plugins, plugin), [setting]: { $env: variable } };
    return { ...before, plugins: { ...plugins, [plugin]: settings } };
  }, metadata);
}

function blockAt(block: Metadata, key: string): Metadata {
  const inner = Object.hasOwn(block, key) ? block[key] : undefined;
  return isObject(inner) ? inner : {};
}
