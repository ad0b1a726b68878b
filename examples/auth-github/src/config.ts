import { StartupError, type Rowhouse } from "rowhouse/plugin-api";

/** What a person writes under `plugins.auth-github`. */
export interface Config {
  readonly client_id: string;
  /** Written as `{ $env: NAME }`: only its value is here. */
  readonly client_secret: string;
  /** Where people sign in. Another one for GitHub Enterprise. */
  readonly site: string;
  readonly api: string;
  /** An `allow` block over actors; who does not pass is not signed in. Null: everybody may. */
  readonly allow: unknown;
  /** Ask for the organisations as well, so that `allow` blocks can name them. */
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

/** @throws StartupError that says what is missing or wrong */
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
