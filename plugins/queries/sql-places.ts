import { permissionChain, type Actor, type Request, type Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { tOf } from "./texts.js";

/** Who jumps, and the typed text. */
interface Asking {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly query: string;
}

/** The fields for SQL that the actor may use, on the pages of databases. Found by the word `sql`. */
export async function sqlPlaces(rowhouse: Rowhouse, asking: Asking): Promise<JumpItem[]> {
  if (!/sql/i.test(asking.query)) return [];
  const label = tOf({ rowhouse, request: asking.request })("query.custom_sql");
  const places = await Promise.all(
    [...rowhouse.databases.values()].map(async ({ name, internal }) =>
      !internal && (await mayRunSql(rowhouse, asking.actor, name))
        ? [{ kind: "command", label, detail: name, href: `${rowhouse.urls.database(name)}#sql-editor` }]
        : [],
    ),
  );
  return places.flat();
}

const mayRunSql = async (
  { permissions }: Rowhouse,
  actor: Actor | null,
  database: string,
): Promise<boolean> =>
  (await permissions.allowed(actor, permissionChain({ database }))) &&
  permissions.allowed(actor, "execute-sql", database);
