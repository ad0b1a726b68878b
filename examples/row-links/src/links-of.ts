import { textOfBody, tildeEncode } from "rowhouse/plugin-api/http";
import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import type { RowLink } from "./hook.js";

interface Asked {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
  readonly table: string;
  readonly rowPath: string;
}

/** The links of all plugins for a row. Without a plugin that taps the hook, the row is not read. */
export async function linksOf(rowhouse: Rowhouse, asked: Asked): Promise<readonly RowLink[]> {
  const { row_links: hook } = rowhouse.hooks;
  if (!hook.isUsed()) return [];
  const row = await rowOf(rowhouse, asked);
  if (row === null) return [];
  const { request, actor, database, table } = asked;
  const links = await hook.promise([], rowhouse, { request, actor, database, table, row });
  return links.filter(({ href }) => isOnTheWeb(href));
}

/** Reads the row as the actor, so that plugins do not get hidden columns. */
async function rowOf(
  rowhouse: Rowhouse,
  { actor, database, table, rowPath }: Asked,
): Promise<Readonly<Record<string, unknown>> | null> {
  const path = `/${tildeEncode(database)}/${tildeEncode(table)}/${rowPath}.json?_shape=objects`;
  const { status, body } = await rowhouse.fetch(path, { actor });
  if (status !== 200) return null;
  const { rows } = JSON.parse(await textOfBody(body)) as {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  };
  return rows[0] ?? null;
}

/** Plugins make addresses of values, which may come from untrusted clients. */
function isOnTheWeb(href: string): boolean {
  try {
    return ["https:", "http:"].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}
