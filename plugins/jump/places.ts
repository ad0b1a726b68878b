import type { Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem, Listing } from "rowhouse/plugin-api/contracts";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { commandsOf, pagesOf, type Asking } from "./commands.js";
import type { SearchedItem } from "./search.js";

/**
 * All places that an actor may view: databases, their tables, views and queries, those of plugins, the pages of the
 * menu, and the actions on databases and tables that the text names.
 */
export async function places(rowhouse: Rowhouse, asking: Asking): Promise<readonly SearchedItem[]> {
  const listings = (await rowhouse.serviceIfAny("browse")?.listings(asking.actor)) ?? [];
  const [further, pages, commands] = await Promise.all([
    rowhouse.hooks.jump_items.promise([], rowhouse, asking),
    pagesOf(rowhouse, asking),
    commandsOf(rowhouse, asking, listings),
  ]);
  const unique = new Map<string, SearchedItem>();
  const add = (item: SearchedItem): unknown => unique.set(`${item.label} ${item.href}`, item);
  const slices = new TimeSlices(asking.request);
  for (const listing of listings) {
    for (const item of placesIn(rowhouse, listing)) {
      add(item);
      if (slices.isOver) await slices.next();
    }
  }
  for (const item of [...commands, ...pages, ...further]) add(item);
  return [...unique.values()];
}

function* placesIn(
  rowhouse: Rowhouse,
  { database: { name: database }, tables, queries }: Listing,
): Generator<JumpItem> {
  const { urls } = rowhouse;
  const metadata = currentMetadata(rowhouse);
  const place = (kind: string, name: string, title: unknown): JumpItem => ({
    kind,
    label: name,
    detail: [database, ...(isTitle(title) ? [title] : [])].join(" · "),
    href: urls.table(database, name),
  });
  const title = metadata.database(database)["title"];
  yield {
    kind: "database",
    label: database,
    detail: isTitle(title) ? title : null,
    href: urls.database(database),
  };
  for (const { query } of queries) yield place("query", query.name, query["title"]);
  for (const { table } of tables)
    yield place(
      table.kind === "view" ? "view" : "table",
      table.name,
      metadata.table(database, table.name)["title"],
    );
}

const isTitle = (value: unknown): value is string => typeof value === "string" && value !== "";
