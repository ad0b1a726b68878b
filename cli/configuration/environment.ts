import type { PartialChoices } from "../arguments/choices.js";
import { inEnvironment } from "../arguments/options.js";
import { existingFile, extension } from "../arguments/readers.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The choices in environment variables. Empty variables are ignored, except those for which empty means "none".
 */
export function environmentChoices(environment: Environment, folder: string): PartialChoices {
  const given = (variable: string): string | undefined => environment[variable] || undefined;
  const file = (variable: string, name: string): string | undefined => {
    const value = given(variable);
    return value === undefined ? undefined : existingFile(value, inEnvironment(variable, { name }, folder));
  };
  const secret = given("ROWHOUSE_SECRET");
  const extensionsVariable = given("ROWHOUSE_LOAD_EXTENSION")
    ? "ROWHOUSE_LOAD_EXTENSION"
    : "SQLITE_EXTENSIONS";
  const extensions = words(given(extensionsVariable));
  const extensionsPlace = inEnvironment(extensionsVariable, { name: "load-extension" }, folder);
  const plugins = environment["ROWHOUSE_LOAD_PLUGINS"];
  const sslKeyfile = file("ROWHOUSE_SSL_KEYFILE", "ssl-keyfile");
  const sslCertfile = file("ROWHOUSE_SSL_CERTFILE", "ssl-certfile");
  return {
    ...(secret !== undefined && { secret: [secret, ...words(given("ROWHOUSE_OLD_SECRETS"))] }),
    ...(extensions.length > 0 && {
      loadExtension: extensions.map((one) => extension(one, extensionsPlace)),
    }),
    ...(sslKeyfile !== undefined && { sslKeyfile }),
    ...(sslCertfile !== undefined && { sslCertfile }),
    ...(plugins !== undefined && {
      onlyPlugins: plugins
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    }),
  };
}

const words = (value: string | undefined): readonly string[] => (value ?? "").split(/\s+/).filter(Boolean);
