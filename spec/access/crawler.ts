import type { Actor } from "rowhouse/plugin-api";
import type { TestReply, TestRowhouse } from "rowhouse/testing";

/** A page that was visited. */
export interface Visited {
  readonly path: string;
  readonly reply: TestReply;
}

const MOST_PAGES = 1_500;

/**
 * Visits what can be reached from `starts` by links, forms' targets and URLs in JSON, page by page, as one actor.
 * Of pages that differ only in the values of their arguments one is visited. POST is never sent.
 */
export async function crawl(
  rowhouse: TestRowhouse,
  starts: readonly string[],
  as: Actor | null,
): Promise<readonly Visited[]> {
  const wanted = new Set(starts);
  const found = new Set(starts);
  const kinds = new Set<string>();
  const visited: Visited[] = [];
  for (const path of found) {
    const kind = kindOf(path);
    if (kinds.has(kind) && !wanted.has(path)) continue;
    if (visited.length >= MOST_PAGES) throw new Error(`There is no end of pages: ${path}`);
    kinds.add(kind);
    const reply = await rowhouse.get(path, as === null ? {} : { as });
    visited.push({ path, reply });
    for (const link of linksIn(reply, rowhouse.origin, path)) found.add(link);
  }
  return visited;
}

/** A path with the names of its arguments; their values, and the keys of rows, left out. */
function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, "http://x");
  const names = [...searchParams.keys()].toSorted().map((name) => (name.startsWith("_") ? name : "column"));
  const page = pathname.replace(/\/\d+(?=\/|\.|$)/g, "/*");
  return `${page}?${[...new Set(names)].join("&")}`;
}

/** Where arguments pile up nothing new is found, nor in files and in the many tables about tables. */
const isWorthVisiting = ({ pathname, searchParams }: URL): boolean =>
  searchParams.size <= 2 && !/^\/(?:_internal|-\/static)/.test(pathname);

const LINKS = [
  /(?:href|action|src)="([^"]*)"/g,
  // URLs in JSON: `next_url`, `toggle_url`, `path`.
  /"((?:https?:\/\/|\/)[^"\s]*)"/g,
  /<([^>\s]*)>; rel=/g,
];

function linksIn({ text, headers }: TestReply, origin: string, from: string): readonly string[] {
  const header = [headers.link, headers.location && `<${headers.location}>; rel=location`].join(" ");
  const sources = headers["content-type"]?.includes("javascript") ? [header] : [text, header];
  const written = sources.flatMap((source) =>
    LINKS.flatMap((pattern) => [...source.matchAll(pattern)].map(([, link = ""]) => link)),
  );
  return written.flatMap((link) => {
    const url = URL.parse(
      link.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"'),
      origin + from,
    );
    return url?.origin === origin && isWorthVisiting(url) ? [url.pathname + url.search] : [];
  });
}
