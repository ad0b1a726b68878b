import { behindBarrier, meaningful, needsBarrier, sqlTokens } from "rowhouse/plugin-api";
import type { Actor, Awaitable, Database, ReadableTable, Rowhouse, Schema, Table } from "rowhouse/plugin-api";
import { isNarrowing } from "./read-scopes.js";
import { tablesOfView } from "./derived-scopes.js";
import { readableTables } from "./readable.js";
import { viewable } from "./viewable.js";

/**
 * A table as an actor may read it; a view that shows a part of what they may not read gets a barrier, so that
 * conditions see only the rows of the view. SQLite would evaluate them on every row of the view's tables.
 */
export function guarded(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  readable: ReadableTable,
): Awaitable<ReadableTable> {
  if (readable.table.kind !== "view" || needsBarrier(readable)) return readable;
  return guardedView(rowhouse, actor, database, readable);
}

async function guardedView(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  readable: ReadableTable,
): Promise<ReadableTable> {
  // What is known about a view is kept by its entry in the schema; `readable` may have a copy without its text.
  const view = (await database.schema()).tables.get(readable.table.name) ?? readable.table;
  const sources = await tablesOfView(database, view);
  if (await isReadable(rowhouse, actor, database, sources)) return readable;
  const { flattenable, table } = readable;
  return {
    ...readable,
    sql: behindBarrier(`select * from ${flattenable}`, table.name),
    isPlainView: isPlain(view, sources, await database.schema()),
  };
}

/** Tokens and words that compute nothing which could fail. Brackets would call a function, or begin a subquery. */
const PLAIN_SYMBOLS: ReadonlySet<string> = new Set([".", ",", "*", "=", "<", ">", "!", ";"]);
const FAILING_WORDS: ReadonlySet<string> = new Set(["like", "glob", "match", "regexp"]);

/** Does a view only select stored columns of tables, under conditions that only compare them? */
function isPlain({ sql }: Table, sources: readonly Table[], { tables }: Schema): boolean {
  if (sql === null || !sources.every(isStoredTable)) return false;
  const [, , , ...definition] = meaningful(sqlTokens(sql));
  const views = new Set(
    [...tables.values()].filter(({ kind }) => kind === "view").map(({ name }) => name.toLowerCase()),
  );
  return definition.every(({ kind, text }) => {
    if (kind === "number") return true;
    if (kind === "word") return !FAILING_WORDS.has(text.toLowerCase()) && !views.has(text.toLowerCase());
    if (kind !== "name" && kind !== "text") return PLAIN_SYMBOLS.has(text);
    const quoted = text.slice(1, -1);
    return !quoted.includes(text.charAt(0)) && !views.has(quoted.toLowerCase());
  });
}

const isStoredTable = ({ kind, columns }: Table): boolean =>
  kind === "table" && columns.every(({ generated }) => generated !== "virtual");

async function isReadable(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  tables: readonly Table[],
): Promise<boolean> {
  const names = tables.map(({ name }) => name);
  const open = await viewable(rowhouse, actor, database, names);
  if (!names.every((name) => open.has(name))) return false;
  if (!isNarrowing(rowhouse)) return true;
  const readable = await readableTables(rowhouse, { actor, database, tables });
  return readable.every(({ restricted }) => !restricted);
}
