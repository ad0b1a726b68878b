import { tildeDecode, type Route } from "rowhouse/plugin-api";

/** What a path says before anything is looked up. */
export interface RouteMatch {
  readonly route: Route;
  /** Of `:database` and `:resource` the decoded names, of `:key` the raw text. */
  readonly names: { readonly database?: string; readonly resource?: string; readonly key?: string };
  readonly params: Readonly<Record<string, string>>;
  /** The extension, known or not; null without one. */
  readonly format: string | null;
  readonly takesFormat: boolean;
  /** The path without its format. */
  readonly basePath: string;
}

interface Matcher {
  /** How many segments a fitting path has; null when that depends. */
  readonly segments: number | null;
  match(path: string, segments: readonly string[]): RouteMatch | null;
}

// Paths come from strangers: what is remembered about them must not grow with what they invent.
const LONGEST_INDEXED = 20;
const FORMAT = "{.:format}";
const EXTENSION = /^(.*)\.([A-Za-z0-9_]+)$/s;

/** All routes whose path fits, in order. Paths are compared as sent: names arrive tilde-encoded. */
export function createRouter(
  routes: readonly Route[],
  isFormat: (extension: string) => boolean,
): (path: string) => RouteMatch[] {
  const matchers = routes.map((route) => matcher(route, isFormat));
  const byLength = new Map<number, readonly Matcher[]>();
  const candidates = (length: number): readonly Matcher[] => {
    const known = byLength.get(length);
    if (known !== undefined) return known;
    const found = matchers.filter(({ segments }) => segments === null || segments === length);
    if (length < LONGEST_INDEXED) byLength.set(length, found);
    return found;
  };
  return (path) => {
    const segments = path.split("/").slice(1);
    return candidates(segments.length).flatMap((matcher) => matcher.match(path, segments) ?? []);
  };
}

function matcher(route: Route, isFormat: (extension: string) => boolean): Matcher {
  return route.path instanceof RegExp
    ? regExpMatcher(route, route.path)
    : patternMatcher(route, route.path, isFormat);
}

function regExpMatcher(route: Route, pattern: RegExp): Matcher {
  const anchored = new RegExp(`^(?:${pattern.source})`, pattern.flags.replace(/[gy]/g, ""));
  const match = (path: string): RouteMatch | null => {
    const found = anchored.exec(path);
    if (found === null) return null;
    const params = { ...found.groups };
    return { route, names: {}, params, format: null, takesFormat: false, basePath: path };
  };
  return { segments: null, match };
}

function patternMatcher(route: Route, pattern: string, isFormat: (extension: string) => boolean): Matcher {
  const takesFormat = pattern.endsWith(FORMAT);
  const parts = (takesFormat ? pattern.slice(0, -FORMAT.length) : pattern).split("/").slice(1);
  const hasKey = parts.includes(":key");
  const endsInKey = parts.at(-1) === ":key";
  // Compared before anything else: nearly every route fails here. The last segment may carry a format.
  const fixed = [...parts.slice(0, -1).entries()].filter(([, part]) => !part.startsWith(":"));
  const match = (path: string, segments: readonly string[]): RouteMatch | null => {
    if (fixed.some(([index, part]) => segments[index] !== part)) return null;
    const tail = segments.at(-1) ?? "";
    const [, stem = "", extension = null] = (takesFormat && EXTENSION.exec(tail)) || [];
    // The key of a row may hold dots of its own.
    const format = extension !== null && endsInKey && !isFormat(extension) ? null : extension;
    const last = format === null ? tail : stem;
    const names: Record<string, string> = {};
    const params: Record<string, string> = {};
    for (const [index, part] of parts.entries()) {
      const segment = index === parts.length - 1 ? last : (segments[index] ?? "");
      if (!part.startsWith(":")) {
        if (part !== segment) return null;
        continue;
      }
      if (segment === "") return null;
      const name = part.slice(1);
      // A dot begins a format, except inside the address of a row.
      if ((name === "database" || (name === "resource" && !hasKey)) && segment.includes(".")) return null;
      if (name === "key") names[name] = segment;
      else if (name === "database" || name === "resource") names[name] = tildeDecode(segment);
      else params[name] = tildeDecode(segment);
    }
    const basePath = format === null ? path : path.slice(0, -format.length - 1);
    return { route, names, params, format, takesFormat, basePath };
  };
  return { segments: parts.length, match };
}
