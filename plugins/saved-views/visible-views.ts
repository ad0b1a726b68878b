import { jsonText, permissionChain, visibleItems, type Actor, type Visit } from "rowhouse/plugin-api";
import type { SavedView, ViewOf } from "./store.js";

type Reader = Pick<Visit, "rowhouse" | "actor">;

/** The id of an actor as text; null without one. */
export function idOf(actor: Actor | null): string | null {
  const id = actor?.id;
  if (id === undefined || id === null) return null;
  return typeof id === "string" ? id : jsonText(id);
}

/** Of shared views, those of tables that the actor may view. Views of others that name a hidden column are left out. */
export async function visibleViews(
  reader: Reader,
  views: readonly SavedView[],
): Promise<readonly SavedView[]> {
  const { rowhouse, actor } = reader;
  const served = views.filter(({ database }) => rowhouse.databases.has(database));
  const visible = await visibleItems(rowhouse.permissions, actor, served, permissionChain);
  const own = idOf(actor);
  const hiddenByTable = new Map<string, Promise<readonly string[]>>();
  const shown: SavedView[] = [];
  for (const view of visible) {
    const key = jsonText([view.database, view.table]);
    const hidden = hiddenByTable.get(key) ?? hiddenColumns(reader, view);
    hiddenByTable.set(key, hidden);
    if (view.owner === own || !namesOne(view, await hidden)) shown.push(view);
  }
  return shown;
}

async function hiddenColumns({ rowhouse, actor }: Reader, of: ViewOf): Promise<readonly string[]> {
  const database = rowhouse.database(of.database);
  const table = (await database.schema()).tables.get(of.table);
  if (table === undefined) return [];
  const readable = await rowhouse.serviceIfAny("rowAccess")?.readable(actor, database, table);
  const shown = new Set((readable?.table ?? table).columns.map(({ name }) => name));
  return table.columns.map(({ name }) => name).filter((name) => !shown.has(name));
}

/** Arguments such as `email__gt` and `_search_email` contain the name of their column. */
function namesOne({ query, fragment }: SavedView, columns: readonly string[]): boolean {
  if (columns.length === 0) return false;
  const words = asWords([query, fragment].flatMap((part) => [...new URLSearchParams(part)].flat()).join(" "));
  return columns.some((column) => words.includes(asWords(column)));
}

/** The letters and digits of a text, with a space around each word. */
const asWords = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
