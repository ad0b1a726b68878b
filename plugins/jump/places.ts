import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem, Listing } from "rowhouse/plugin-api/contracts";

/** All places that an actor may view: databases, their tables, views and queries, and those of plugins. */
export async function places(
  rowhouse: Rowhouse,
  asking: { readonly actor: Actor | null; readonly request: Request },
): Promise<readonly JumpItem[]> {
  const listings = (await rowhouse.serviceIfAny("browse")?.listings(asking.actor)) ?? [];
  const further = await rowhouse.hooks.jump_items.promise([], rowhouse, asking);
  return [...listings.flatMap((listing) => placesIn(rowhouse, listing)), ...further];
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
