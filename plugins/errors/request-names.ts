import { tildeDecode } from "rowhouse/plugin-api/http";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

/** The names that a path contains. Nothing says that they exist. */
export interface PathNames {
  readonly database: string | null;
  /** A table, view or query. */
  readonly resource: string | null;
}

/** The names in the path of a request: `/library/books/1/-/edit` has `library` and `books`, `/-/tokens` none. */
export function pathNames(rowhouse: Rowhouse, { path }: Request): PathNames {
  const all = path.split("/").slice(1);
  const dash = all.indexOf("-");
  const [database = "", resource = ""] = (dash === -1 ? all : all.slice(0, dash)).map((part) =>
    tildeDecode(withoutFormat(rowhouse, part)),
  );
  return { database: database || null, resource: resource || null };
}

/** Dots of names are encoded, so that a dot begins the extension of a format. */
function withoutFormat({ renderers }: Rowhouse, part: string): string {
  const dot = part.lastIndexOf(".");
  return dot > 0 && renderers.has(part.slice(dot + 1)) ? part.slice(0, dot) : part;
}
