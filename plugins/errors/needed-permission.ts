import type { Request, Rowhouse } from "rowhouse/plugin-api";
import { pathNames } from "./request-names.js";

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
