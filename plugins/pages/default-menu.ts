import type { Actor, Link, Rowhouse } from "rowhouse/plugin-api";

const LINKS = [
  ["Databases", "/-/databases"],
  ["Installed plugins", "/-/plugins"],
  ["Version info", "/-/versions"],
  ["Metadata", "/-/metadata"],
  ["Settings", "/-/settings"],
  ["Debug permissions", "/-/permissions"],
  ["Debug messages", "/-/messages"],
  ["Debug allow rules", "/-/allow-debug"],
  ["Debug threads", "/-/threads"],
  ["Debug actor", "/-/actor"],
  ["Pattern portfolio", "/-/patterns"],
] as const;

/** The pages about the instance, for actors with `debug-menu`. */
export async function defaultMenu(rowhouse: Rowhouse, actor: Actor | null): Promise<Link[]> {
  if (!(await rowhouse.permissions.allowed(actor, "debug-menu"))) return [];
  return LINKS.map(([label, path]) => ({ label, href: rowhouse.urls.path(path) }));
}
