import {
  jsonText,
  permissionChain,
  visibleItems,
  type Actor,
  type Schema,
  type Visit,
} from "rowhouse/plugin-api";
import { tildeDecode } from "rowhouse/plugin-api/http";
import type { SavedView } from "./store.js";

type Reader = Pick<Visit, "rowhouse" | "actor">;

/** The id of an actor as text; null without one. Ids that are not text become `=` and JSON, so that 1 is not "1". */
export function idOf(actor: Actor | null): string | null {
  const id = actor?.id;
  if (id === undefined || id === null) return null;
  return typeof id === "string" && !id.startsWith("=") ? id : `=${jsonText(id)}`;
}

/**
 * Of shared views, those of tables that the actor may view. Views of others that name a hidden column or another hidden
 * table are left out.
 */
export async function visibleViews(
  reader: Reader,
  views: readonly SavedView[],
): Promise<readonly SavedView[]> {
  const { rowhouse, actor } = reader;
  const served = views.filter(({ database }) => rowhouse.databases.has(database));
  const visible = await visibleItems(rowhouse.permissions, actor, served, permissionChain);
  const own = idOf(actor);
  const hiddenByTables = new Map<string, Promise<readonly string[]>>();
  const shown: SavedView[] = [];
  for (const view of visible) {
    const words = wordsOf(view);
    const tables = await tablesNamed(reader, view, words);
    const key = jsonText([view.database, ...tables]);
    const hidden = hiddenByTables.get(key) ?? hiddenNames(reader, view.database, tables);
    hiddenByTables.set(key, hidden);
    if (view.owner === own || !namesOne(words, await hidden)) shown.push(view);
  }
  return shown;
}

/** Arguments that can read other tables than that of the view. */
const READING_OTHERS = ["_through", "_where", "_fts_table"];

/** The table of a view, and others that its arguments may read. */
async function tablesNamed({ rowhouse }: Reader, view: SavedView, words: string): Promise<readonly string[]> {
  const given = new URLSearchParams(view.query);
  if (!READING_OTHERS.some((name) => given.has(name))) return [view.table];
  const known = tableWords(await rowhouse.database(view.database).schema());
  const others = known.filter(([, name]) => words.includes(name)).map(([table]) => table);
  return [...new Set([view.table, ...others])];
}

type TableWords = readonly (readonly [table: string, words: string])[];

const wordsBySchema = new WeakMap<Schema, TableWords>();

/** The words of the names of all tables. There may be a thousand views, so these are made once. */
function tableWords(schema: Schema): TableWords {
  const known =
    wordsBySchema.get(schema) ?? [...schema.tables.keys()].map((name) => [name, asWords(name)] as const);
  wordsBySchema.set(schema, known);
  return known;
}

/** The names of the tables that the actor may not view, and of hidden columns of the others. */
async function hiddenNames(
  { rowhouse, actor }: Reader,
  name: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const database = rowhouse.database(name);
  const { tables } = await database.schema();
  const existing = names.flatMap((one) => tables.get(one) ?? []);
  const open = await visibleItems(rowhouse.permissions, actor, existing, (table) =>
    permissionChain({ database, table }),
  );
  const readable = await rowhouse.serviceIfAny("rowAccess")?.readableMany(actor, database, open);
  const closed = existing.filter((table) => !open.includes(table)).map((table) => table.name);
  const columns = open.flatMap((table, index) => {
    const shown = new Set((readable?.[index]?.table ?? table).columns.map((column) => column.name));
    return table.columns.map((column) => column.name).filter((column) => !shown.has(column));
  });
  return [...closed, ...columns];
}

/**
 * Arguments such as `email__gt` and `_search_email` contain the name of their column; those about groups and pages contain
 * it encoded.
 */
const wordsOf = ({ query, fragment }: SavedView): string =>
  asWords(
    [query, fragment]
      .flatMap((part) => [...new URLSearchParams(part)].flat())
      .flatMap((text) => [text, tildeDecode(text)])
      .join(" "),
  );

const namesOne = (words: string, names: readonly string[]): boolean =>
  names.some((name) => words.includes(asWords(name)));

/** The letters and digits of a text, with a space around each word. */
const asWords = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
