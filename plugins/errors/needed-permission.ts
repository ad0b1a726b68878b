import type { Request, Rowhouse } from "rowhouse/plugin-api";
import { tildeDecode } from "rowhouse/plugin-api/http";

/** The names that a path contains. Nothing says that they exist. */
interface PathNames {
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

/** The permission that a refused request needs, for the page of the refusal. */
export interface NeededPermission {
  readonly action: string;
  readonly description: string | null;
  /** `library/books`; null for the whole site. */
  readonly resource: string | null;
}

/**
 * The permission that the message of a refusal names, and the resource that the path names. Only these two are read and
 * nothing is looked up: for names that do not exist, the page says the same as for names that are hidden.
 */
export function neededPermission(
  rowhouse: Rowhouse,
  request: Request,
  message: string,
): NeededPermission | null {
  const permission = rowhouse.permissions.registered.get(actionIn(message) ?? "");
  if (permission === undefined) return null;
  const { database, resource } = pathNames(rowhouse, request);
  const names = [
    ...(permission.takes_database || permission.takes_resource ? [database] : []),
    ...(permission.takes_resource ? [resource] : []),
  ].filter((name) => name !== null);
  return {
    action: permission.name,
    description: permission.description,
    resource: names.length === 0 ? null : names.join("/"),
  };
}

function actionIn(message: string): string | null {
  const kind = /^You do not have permission to view this (database|table|query)$/.exec(message)?.[1];
  if (kind !== undefined) return `view-${kind}`;
  return /^(?:Permission denied: need )?([\w-]+)$/.exec(message)?.[1] ?? null;
}
