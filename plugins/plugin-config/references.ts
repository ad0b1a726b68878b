import { messageOf, StartupError } from "rowhouse/plugin-api";
import type { SecretSources } from "rowhouse/plugin-api";

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Replaces `{"$env": "NAME"}` by the variable (null when unset) and `{"$file": "path"}` by the file's text less
 * one trailing newline, at any depth.
 *
 * @throws StartupError naming plugin and path when a file can't be read
 */
export function resolveReferences(value: unknown, plugin: string, sources: SecretSources): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, plugin, sources));
  if (!isObject(value)) return value;
  const { $env: variable, $file: path } = value;
  if (Object.keys(value).length === 1 && typeof variable === "string") return sources.env(variable);
  if (Object.keys(value).length === 1 && typeof path === "string") return fileText(path, plugin, sources);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveReferences(item, plugin, sources)]),
  );
}

function fileText(path: string, plugin: string, sources: SecretSources): string {
  try {
    return sources.file(path).replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = messageOf(cause);
    throw new StartupError(`Configuration of plugin ${plugin}: ${path} can't be read: ${reason}`, 1, {
      cause,
    });
  }
}
