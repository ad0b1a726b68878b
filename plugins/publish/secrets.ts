import { randomBytes } from "node:crypto";
import { refuseValue } from "./options.js";

/** A secret of a plugin and its environment variable. */
export interface PluginSecret {
  readonly plugin: string;
  readonly setting: string;
  readonly variable: string;
  readonly value: string;
}

/** The signing secret: the given one, that of ROWHOUSE_PUBLISH_SECRET, or a new one. */
export function signingSecret(given: string | null): { readonly secret: string; readonly isNew: boolean } {
  const secret = given || process.env["ROWHOUSE_PUBLISH_SECRET"] || null;
  return secret === null
    ? { secret: randomBytes(32).toString("hex"), isNew: true }
    : { secret, isNew: false };
}

/**
 * Reads the values of `--plugin-secret`, three for each secret.
 *
 * @throws StartupError (exit code 2) for a value with a single quote, and for two secrets with one variable
 */
export function pluginSecrets(words: readonly string[]): readonly PluginSecret[] {
  const count = Math.ceil(words.length / 3);
  const secrets = Array.from({ length: count }, (_, index) =>
    pluginSecret(words.slice(index * 3, index * 3 + 3)),
  );
  const taken = new Set(["ROWHOUSE_SECRET"]);
  for (const { variable } of secrets) {
    if (taken.has(variable)) refuseValue("'--plugin-secret'", `${variable} would have two values`);
    taken.add(variable);
  }
  return secrets;
}

function pluginSecret([plugin = "", setting = "", value = ""]: readonly string[]): PluginSecret {
  if (value.includes("'")) refuseValue("'--plugin-secret'", "--plugin-secret cannot contain single quotes");
  const variable = `${plugin}_${setting}`.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase();
  return { plugin, setting, variable: /^\d/.test(variable) ? `_${variable}` : variable, value };
}
