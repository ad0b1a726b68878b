import type { Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem, Listing } from "rowhouse/plugin-api/contracts";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { commandsOf, pagesOf, type Asking } from "./commands.js";

/**
 * All places that an actor may view: databases, their tables, views and queries, those of plugins, the pages of the
 * menu, and the actions on databases and tables that the text names.
 */
export async function places(rowhouse: Rowhouse, asking: Asking): Promise<readonly JumpItem[]> {
  const slices = new TimeSlices(asking.request);
  const listings = (await rowhouse.serviceIfAny("browse")?.listings(asking.actor)) ?? [];
  const [further, pages, commands] = await Promise.all([
    rowhouse.hooks.jump_items.promise([], rowhouse, asking),
    pagesOf(rowhouse, asking),
    commandsOf(rowhouse, asking, listings),
  ]);
  await slices.nextIfOver();
  const unique = new Map(
    [...listings.flatMap((listing) => placesIn(rowhouse, listing)), ...commands, ...pages, ...further].map(
      (item) => [`${item.label} ${item.href}`, item],
    ),
  );
  return [...unique.values()];
}

function placesIn(
  rowhouse: Rowhouse,
  { database: { name: database }, tables, queries }: Listing,
): JumpItem[] {
  const { urls } = rowhouse;
  const metadata = rowhouse.serviceIfAny("metadata")?.current();
  const place = (kind: string, name: string, title: unknown): JumpItem => ({
    kind,
    label: name,
    detail: [database, ...(isTitle(title) ? [title] : [])].join(" · "),
    href: urls.table(database, name),
  });
  const title = metadata?.database(database)["title"];
  return [
    {
      kind: "database",
      label: database,
      detail: isTitle(title) ? title : null,
      href: urls.database(database),
    },
    ...queries.map(({ query }) => place("query", query.name, query["title"])),
    ...tables.map(({ table: { name, kind } }) =>
      place(kind === "view" ? "view" : "table", name, metadata?.table(database, name)["title"]),
    ),
  ];
}

const isTitle = (value: unknown): value is string => typeof value === "string" && value !== "";
