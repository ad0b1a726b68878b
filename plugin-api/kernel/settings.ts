import { messageOf } from "../errors/classes.js";
import { synchronous } from "./hook-results.js";

/** The value of a setting. */
export type SettingValue = number | boolean | string;

/** A setting of a plugin. Its type is the type of its default; numbers are integers from 0 on. */
export interface Setting {
  readonly name: string;
  readonly default: SettingValue;
  readonly help: string;
  /** Listed at `/-/settings` only if it was set. */
  readonly unlisted?: boolean;
  /** What is wrong with a value of the right type; null for a valid value. */
  check?(value: SettingValue): string | null;
}

/** The order of settings in listings. */
const PUBLISHED =
  "default_page_size max_returned_rows max_insert_rows num_sql_threads sql_time_limit_ms default_facet_size " +
  "facet_time_limit_ms facet_suggest_time_limit_ms allow_facet allow_download allow_signed_tokens " +
  "max_signed_tokens_ttl suggest_facets default_cache_ttl cache_size_kb allow_csv_stream max_csv_mb " +
  "truncate_cells_html force_https_urls template_debug trace_debug base_url";

/**
 * Settings in the order of listings: those with a published position first, then the others in the given order.
 *
 * @example
 * const settings = [{ name: "mine", default: 1, help: "" }, ...kernelSettings];
 * inListingOrder(settings).map(({ name }) => name).at(0); // "force_https_urls"
 */
export function inListingOrder(settings: readonly Setting[]): Setting[] {
  const order = PUBLISHED.split(" ");
  const place = ({ name }: Setting): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return settings.toSorted((left, right) => place(left) - place(right));
}

const WANTED = { number: "an integer", boolean: "on/off/true/false/1/0", string: "text" };

/**
 * What is wrong with the value of a setting, as message for the operator; null for a valid value.
 *
 * @example
 * settingProblem({ name: "limit", default: 10, help: "" }, "ten"); // '"limit" should be an integer'
 */
export function settingProblem(setting: Setting, value: unknown): string | null {
  const type = typeof setting.default as keyof typeof WANTED;
  const fits = type === "number" ? Number.isSafeInteger(value) && Number(value) >= 0 : typeof value === type;
  if (!fits) return `"${setting.name}" should be ${WANTED[type]}`;
  const problem = ownProblem(setting, value as SettingValue);
  return problem === null || problem.includes(setting.name) ? problem : `"${setting.name}" ${problem}`;
}

/** What the plugin of the setting says. */
function ownProblem({ check }: Setting, value: SettingValue): string | null {
  try {
    const problem = synchronous(check?.(value) ?? null, "check");
    return problem === null ? null : String(problem);
  } catch (error) {
    return `cannot be checked: ${messageOf(error)}`;
  }
}

/** Settings as a plugin lists them, with the types of their values by name. */
export interface DefinedSettings<Values> extends ReadonlyArray<Setting> {
  /** Exists only as a type. */
  readonly types?: Values;
}

/** The type of the values: that of the default. A default that is declared as one of several texts keeps that type. */
type ValueOf<Default, Declared = Default> = Default extends boolean
  ? boolean
  : Default extends number
    ? number
    : [Declared] extends [Default]
      ? string
      : Default;

/** A setting without its name, whose `check` gets values of the type of the default. */
type Definition<Default extends SettingValue> = Omit<Setting, "name" | "default" | "check"> & {
  readonly default: Default;
  check?(value: ValueOf<Default>): string | null;
};

/**
 * The settings of a plugin by name, for its member `settings`. In TypeScript the types of the values come from the
 * defaults: let `Settings` extend `SettingsOf<typeof shelfSettings>` by declaration merging.
 *
 * @example
 * const shelfSettings = defineSettings({ shelf_height_cm: { default: 30, help: "Height of a shelf" } });
 * shelfSettings[0].name; // "shelf_height_cm"
 */
export const defineSettings = <Defaults extends Readonly<Record<string, SettingValue>>>(definitions: {
  readonly [Name in keyof Defaults]: Definition<Defaults[Name]>;
}): DefinedSettings<{ readonly [Name in keyof Defaults]: ValueOf<Defaults[Name]> }> =>
  Object.entries<Definition<SettingValue>>(definitions).map(([name, definition]) => ({
    name,
    ...definition,
  }));

/**
 * The `check` of a setting that has a smallest value. Numbers below 0 are refused without it.
 *
 * @example
 * atLeast(1)(0); // "must be at least 1"
 * atLeast(1)(1); // null
 */
export const atLeast =
  (minimum: number) =>
  (value: number): string | null =>
    value >= minimum ? null : `must be at least ${minimum}`;

/** The longest time of a timer in Node, in milliseconds: a longer timer ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The `check` of a setting that has a greatest value, such as the time of a timer.
 *
 * @example
 * atMost(12)(13); // "must be at most 12"
 * atMost(12)(12); // null
 */
export const atMost =
  (maximum: number) =>
  (value: number): string | null =>
    value <= maximum ? null : `must be at most ${maximum}`;

/** The types of the values of settings that `defineSettings` declares, by name. */
export type SettingsOf<Defined> = Defined extends DefinedSettings<infer Values> ? Values : never;

/** Paths as requests contain them, without `//`: browsers take the text after it for the name of a host. */
const URL_PATH = /^\/([\w.~!$&'()*+,;=:@%-]+\/)*$/;

/** The settings of the kernel. All others belong to the plugins that use them. */
export const kernelSettings = defineSettings({
  /** Absolute URLs begin with `https`. */
  force_https_urls: { default: false, help: "Force URLs in API output to always use https:// protocol" },
  /** Path prefix of every URL; begins and ends with `/`. */
  base_url: {
    default: "/",
    help: "Path prefix of every URL of this site",
    check: (value) =>
      URL_PATH.test(value)
        ? null
        : '"base_url" should be a path that begins and ends with /, such as /data/, with other characters encoded, such as %20 for a space',
  },
  /** The largest request body in memory; 0 is no limit. */
  max_post_body_bytes: {
    default: 2_097_152,
    help: "Largest request body held in memory, in bytes; 0 is no limit",
    unlisted: true,
  },
  /** Milliseconds after a signal in which the server finishes what it is doing. */
  shutdown_grace_ms: {
    default: 10_000,
    help: "How long the server may take to end after SIGTERM or SIGINT, in milliseconds",
    unlisted: true,
    check: atMost(LONGEST_TIMER_MS),
  },
  /** How long the head of a request may take; 0 is no limit. */
  header_time_limit_ms: {
    default: 30_000,
    help: "How long the head of a request may take, in milliseconds; 0 is no limit",
    unlisted: true,
  },
  /** How long a connection without a request stays open; 0 is no limit. */
  idle_connection_limit_ms: {
    default: 5_000,
    help: "How long a connection stays open without a request, in milliseconds; 0 is no limit",
    unlisted: true,
    check: atMost(LONGEST_TIMER_MS),
  },
  /** How long the next byte of a request body may take; 0 is no limit. */
  body_idle_limit_ms: {
    default: 30_000,
    help: "How long the next byte of a request body may take; 0 is no limit",
    unlisted: true,
  },
  /** The longest time for a request body, plus one second per 1,000 bytes; 0 is no limit. */
  body_time_limit_ms: {
    default: 60_000,
    help: "How long a request body may take, and a second more for every 1,000 bytes; 0 is no limit",
    unlisted: true,
  },
});

declare module "./rowhouse.js" {
  interface Settings extends SettingsOf<typeof kernelSettings> {}
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["on", true],
  ["true", true],
  ["1", true],
  ["off", false],
  ["false", false],
  ["0", false],
]);

/**
 * True for `on`, `true` and `1`; false for `off`, `false` and `0`; null for any other word.
 *
 * @example
 * switchedTo("on"); // true
 * switchedTo("perhaps"); // null
 */
export const switchedTo = (word: string): boolean | null => WORDS.get(word) ?? null;
