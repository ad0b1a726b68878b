import { isObject } from "rowhouse/plugin-api";
import { maskSecrets } from "rowhouse/plugin-api/metadata";
import type { PartialChoices } from "../arguments/choices.js";
import type { Source } from "./resolve.js";

/** An effective value, and its source. */
export interface Origin {
  readonly value: unknown;
  readonly from: string;
}

const MASK = "***";

/**
 * All given values by their path in a configuration file (`settings.max_returned_rows`), each from the strongest
 * source. Secrets are masked; references to them (`{"$env": "NAME"}`) are not.
 *
 * @param sources weakest first
 */
export function configOrigins(sources: readonly Source[]): Readonly<Record<string, Origin>> {
  const origins = new Map<string, Origin>();
  for (const { name, choices } of sources) {
    for (const [place, value] of placesOf(choices)) {
      // A value that is replaced as a whole leaves no parts of weaker sources.
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
    ...(plugins ?? []).map(({ name, load }): Place => [`plugins.${name}`, load]),
    ...leaves("plugins", maskSecrets(pluginConfig ?? {})),
    ...(layers ?? []).flatMap(({ document }) => leaves("", maskSecrets(document))),
  ];
}

/** Paths in their original spelling. Of documents in files only the place is listed. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isObject(value)) return value;
  if ("shown" in value) return value["shown"];
  return "document" in value ? maskSecrets(value["document"]) : value;
}

/** The leaves of a tree of blocks by their paths. */
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
