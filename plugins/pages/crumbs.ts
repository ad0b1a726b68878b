import type { Actor, Link, Rowhouse } from "rowhouse/plugin-api";
import { visibleName } from "./row-table.js";

/** The breadcrumbs of a page. Each is shown only to actors that may view its page. */
export interface CrumbTrail {
  readonly home?: boolean;
  /** `home` in the language of the reader. */
  readonly homeLabel?: string;
  readonly database?: string | undefined;
  readonly table?: string | undefined;
}

/** `home` / database / table. */
export async function crumbs(rowhouse: Rowhouse, actor: Actor | null, trail: CrumbTrail): Promise<Link[]> {
  const { database, table } = trail;
  const links: Link[] = [];
  if (trail.home !== false && (await rowhouse.permissions.allowed(actor, "view-instance"))) {
    links.push({ href: rowhouse.urls.instance(), label: trail.homeLabel ?? "home" });
  }
  if (database === undefined) return links;
  if (await rowhouse.permissions.allowed(actor, "view-database", database)) {
    links.push({ href: rowhouse.urls.database(database), label: database });
  }
  if (table !== undefined && (await rowhouse.permissions.allowed(actor, "view-table", [database, table]))) {
    links.push({ href: rowhouse.urls.table(database, table), label: visibleName(table) });
  }
  return links;
}
