import { StartupError, type Rowhouse } from "rowhouse/plugin-api";

/** The configuration under `plugins.auth-github`. */
export interface Config {
  readonly client_id: string;
  /** The value. In the file it is written as `{ $env: NAME }`. */
  readonly client_secret: string;
  /** The site of the sign-in page. GitHub Enterprise has another one. */
  readonly site: string;
  readonly api: string;
  /** An `allow` block: other actors are not signed in. Null allows all. */
  readonly allow: unknown;
  /** Requests the organisations too, so that `allow` blocks can name them. */
  readonly organisations: boolean;
  readonly expire_after_seconds: number;
}

const DEFAULTS = {
  site: "https://github.com",
  api: "https://api.github.com",
  allow: null,
  organisations: false,
  expire_after_seconds: 14 * 24 * 60 * 60,
} as const;

/** @throws StartupError that names the missing or invalid key */
export async function configOf(rowhouse: Rowhouse): Promise<Config> {
  const block = await rowhouse.pluginConfig("auth-github");
  if (typeof block !== "object" || block === null) throw mistake("is missing");
  const config = { ...DEFAULTS, ...block } as Readonly<Record<keyof Config, unknown>>;
  for (const key of ["client_id", "client_secret", "site", "api"] as const) {
    if (typeof config[key] !== "string" || config[key] === "") throw mistake(`needs ${key}, a text`);
  }
  if (typeof config.organisations !== "boolean") throw mistake("needs true or false for organisations");
  const unknown = Object.keys(config).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw mistake(`has an unknown key: ${unknown}`);
  const seconds = config.expire_after_seconds;
  if (typeof seconds !== "number" || !(seconds > 0)) throw mistake("needs expire_after_seconds above 0");
  return config as Config;
}

const KEYS: ReadonlySet<string> = new Set(["client_id", "client_secret", ...Object.keys(DEFAULTS)]);

const mistake = (what: string): StartupError => new StartupError(`The configuration of auth-github ${what}`);
