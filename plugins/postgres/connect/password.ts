import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { StartupError } from "rowhouse/plugin-api";
import type { HostAddress } from "./address.js";

/** A login, for which a password is looked up. */
export interface Login {
  readonly user: string;
  readonly database: string;
}

/** Where passwords come from. */
export interface PasswordSources {
  /** The value in the plugin's configuration, `{"$env": "NAME"}` already resolved; null for none. */
  readonly configured: string | null;
  env(name: string): string | null;
}

/**
 * The password of a login: the configured one, else `PGPASSWORD`, else the first line of the file `PGPASSFILE` (or
 * `~/.pgpass`) that matches. Undefined if there is none.
 */
export async function findPassword(
  { configured, env }: PasswordSources,
  { host, port }: HostAddress,
  { user, database }: Login,
): Promise<string | undefined> {
  if (configured !== null) return configured;
  const variable = env("PGPASSWORD");
  if (variable !== null && variable !== "") return variable;
  const named = env("PGPASSFILE");
  const text = await readPasswordFile(named ?? join(homedir(), ".pgpass"), named !== null);
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    const fields = fieldsOf(line);
    if (
      fields.length === 5 &&
      wanted.every((value, index) => fields[index] === "*" || fields[index] === value)
    )
      return fields[4];
  }
  return undefined;
}

/** Ignores a file that others may read, as `psql` does; a file that was named explicitly must exist. */
async function readPasswordFile(path: string, isNamed: boolean): Promise<string> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0 && process.platform !== "win32") {
      if (!isNamed) return "";
      throw new StartupError(`The password file ${path} may be read by others. Run: chmod 600 ${path}`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if (!isNamed) return "";
    throw new StartupError(`Could not read the password file ${path}`, 1, { cause: error });
  }
}

/** `host:port:database:user:password`; a backslash escapes `:` and itself. */
function fieldsOf(line: string): readonly string[] {
  if (line.startsWith("#")) return [];
  const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? [];
  return fields.slice(0, 5).map((field) => field.replace(/:$/, "").replace(/\\(.)/g, "$1"));
}
