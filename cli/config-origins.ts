import { maskSecrets, isObject } from "rowhouse/plugin-api";
import { type PartialChoices, type PluginChoice } from "./choices.js";
import type { Source } from "./resolve.js";

/** A value in force, and the source that stated it. */
export interface Origin {
  readonly value: unknown;
  readonly from: string;
}

const MASK = "***";

/**
 * Every value somebody stated, by its place in a configuration file (`settings.max_returned_rows`), the strongest
 * source's. Secrets are masked; references to them (`{"$env": "NAME"}`) are not secret.
 *
 * @param sources weakest first
 */
export function configOrigins(sources: readonly Source[]): Readonly<Record<string, Origin>> {
  const origins = new Map<string, Origin>();
  for (const { name, choices } of sources) {
    for (const [place, value] of placesOf(choices)) {
      // What is replaced as a whole by a stronger source leaves nothing behind.
      origins.delete(place);
      origins.set(place, { value, from: name });
    }
  }
  return Object.fromEntries([...origins].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

type Place = readonly [place: string, value: unknown];

function placesOf({
  settings,
  plugins,
  pluginConfig,
  layers,
  secret,
  ...rest
}: PartialChoices): readonly Place[] {
  return [
    ...Object.entries(rest).map(([key, value]): Place => [key, shown(value)]),
    ...(secret === undefined ? [] : [["secret", secret.map(() => MASK)] as const]),
    ...Object.entries(settings ?? {}).map(([name, { value }]): Place => [`settings.${name}`, value]),
    ...(plugins ?? []).map((plugin): Place => [`plugins.${plugin.name}`, isLoaded(plugin)]),
    ...leaves("plugins", maskSecrets(pluginConfig ?? {})),
    ...(layers ?? []).flatMap(({ document }) => leaves("", maskSecrets(document))),
  ];
}

const isLoaded = ({ load }: PluginChoice): boolean => load;

/** Paths as the person wrote them; the documents of files not at all, only where they are. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isObject(value)) return value;
  if ("shown" in value) return value["shown"];
  return "document" in value ? maskSecrets(value["document"]) : value;
}

/** What stands at the ends of a tree of blocks, each under its whole path. */
function leaves(place: string, value: unknown): readonly Place[] {
  if (!isObject(value)) return [[place, value]];
  const entries = Object.entries(value);
  if (entries.length === 0 || isReference(value))
    return place === "" || entries.length === 0 ? [] : [[place, value]];
  return entries.flatMap(([key, inner]) => leaves(place === "" ? key : `${place}.${key}`, inner));
}

const isReference = (value: Readonly<Record<string, unknown>>): boolean => {
  const [key, ...more] = Object.keys(value);
  return more.length === 0 && (key === "$env" || key === "$file");
};
