import { LRUCache } from "lru-cache";
import type { Route, RouteFor } from "rowhouse/plugin-api";
import { tildeDecode, type TargetKind } from "rowhouse/plugin-api/http";
import { reportedCache } from "rowhouse/plugin-api/kernel";

/** A route of any kind. The kernel calls its functions only with names and a target of its kind. */
export type AnyRoute = RouteFor<TargetKind>;

/** A route whose path matches, before its names are looked up. */
export interface RouteMatch {
  readonly route: AnyRoute;
  /** `:database` and `:resource` decoded, `:key` as sent. */
  readonly names: { readonly database?: string; readonly resource?: string; readonly key?: string };
  readonly params: Readonly<Record<string, string>>;
  /** The extension, also if no renderer has it; null without one. */
  readonly format: string | null;
  readonly takesFormat: boolean;
  /** The path without its format. */
  readonly basePath: string;
}

interface Matcher {
  /** The number of segments of a matching path; null if it varies. */
  readonly segments: number | null;
  match(path: string): RouteMatch | null;
}

const FORMAT = "{.:format}";

/** Returns all routes whose path matches, in order. Paths are compared as sent, with tilde-encoded names. */
export function createRouter(
  routes: readonly Route[],
  isFormat: (extension: string) => boolean,
): (path: string) => RouteMatch[] {
  const matchers = (routes as readonly AnyRoute[]).map((route) =>
    route.path instanceof RegExp
      ? regExpMatcher(route, route.path)
      : patternMatcher(route, route.path, isFormat),
  );
  // Whichever plugin is first: pages below `/-/` come before a table named `-`, and routes for some requests to a path
  // before routes for all. An unknown format counts only if nothing else matches.
  const rank = ({ route, format, names }: RouteMatch): number =>
    (names.resource === "-" ? 4 : 0) + (format === null || isFormat(format) ? 0 : 2) + (route.when ? 0 : 1);
  const matching = (path: string, length = path.split("/").length - 1): RouteMatch[] =>
    matchers
      .filter(({ segments }) => segments === null || segments === length)
      .flatMap(({ match }) => match(path) ?? [])
      .toSorted((one, two) => rank(one) - rank(two));
  // Its limit is in bytes, so that requests for invented paths do not fill the memory.
  const cache = reportedCache("paths", new LRUCache<string, RouteMatch[]>({ maxSize: 500_000 }));
  return (path) => {
    const found = cache.get(path) ?? matching(path);
    cache.set(path, found, { size: path.length + 600 });
    return found;
  };
}

function regExpMatcher(route: AnyRoute, pattern: RegExp): Matcher {
  const anchored = new RegExp(`^(?:${pattern.source})`, pattern.flags.replace(/[gy]/g, ""));
  const match = (path: string): RouteMatch | null => {
    const found = anchored.exec(path);
    const params = { ...found?.groups };
    return found && { route, names: {}, params, format: null, takesFormat: false, basePath: path };
  };
  return { segments: null, match };
}

function patternMatcher(route: AnyRoute, pattern: string, isFormat: (extension: string) => boolean): Matcher {
  const takesFormat = pattern.endsWith(FORMAT);
  const parts = (takesFormat ? pattern.slice(0, -FORMAT.length) : pattern).split("/").slice(1);
  const hasKey = parts.includes(":key");
  const shape = new RegExp(
    `^${parts.map((part) => `/${segmentShape(part, takesFormat, hasKey)}`).join("")}${takesFormat ? "(?:\\.(\\w+))?" : ""}$`,
  );
  const placeholders = parts.filter((part) => part.startsWith(":")).map((part) => part.slice(1));
  const endsInKey = parts.at(-1) === ":key";
  const match = (path: string): RouteMatch | null => {
    const found = shape.exec(path);
    if (found === null) return null;
    const extension = found[placeholders.length + 1] ?? null;
    // The key of a row may contain dots.
    const isOfKey = extension !== null && endsInKey && !isFormat(extension);
    const names: Record<string, string> = {};
    const params: Record<string, string> = {};
    for (const [index, name] of placeholders.entries()) {
      const segment = found[index + 1] ?? "";
      if (name === "key") names[name] = isOfKey ? `${segment}.${extension}` : segment;
      else if (name === "database" || name === "resource") names[name] = tildeDecode(segment);
      else params[name] = tildeDecode(segment);
    }
    const format = isOfKey ? null : extension;
    const basePath = format === null ? path : path.slice(0, -format.length - 1);
    return { route, names, params, format, takesFormat, basePath };
  };
  return { segments: parts.length, match };
}

/**
 * In a pattern with a format, a dot starts the format, except in the path of a row. No database is named `-`. The name of
 * a table may be empty.
 */
function segmentShape(part: string, takesFormat: boolean, hasKey: boolean): string {
  if (!part.startsWith(":")) return part.replace(/[^\w-]/g, "\\$&");
  const count = part === ":resource" ? "*" : "+";
  if (!takesFormat) return part === ":database" ? "((?!-/)[^/]+)" : `([^/]${count})`;
  return part === ":database" || (part === ":resource" && !hasKey) ? `([^/.]${count})` : `([^/]${count}?)`;
}
