import {
  permissionChain,
  type Actor,
  type Awaitable,
  type Database,
  type Opinion,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { PermissionChecks } from "rowhouse/plugin-api/access";
import { attachedDatabases } from "rowhouse/plugin-api/sql";

const NOT_OFFERED: Opinion = {
  allowed: false,
  because: "the engine of this database does not run untrusted SQL",
};
const ATTACHED_DENIED: Opinion = {
  allowed: false,
  because: "--crossdb attaches a database on which the actor has no execute-sql",
};

type Opinions = readonly (Opinion | null)[];

/**
 * Denies `execute-sql` on databases whose engine does not run untrusted SQL, and where `--crossdb` attaches databases on
 * which the actor lacks it. Pages, documents and API descriptions offer SQL only with this permission. For other
 * databases it has no opinion, synchronously.
 */
export function denyExecuteSql(
  rowhouse: Rowhouse,
  { actor, resources }: PermissionChecks,
): Awaitable<Opinions | null> {
  const opinions = resources.map((resource) => {
    const name = typeof resource === "string" ? resource : (resource?.[0] ?? null);
    const database = name === null ? undefined : rowhouse.databases.get(name);
    if (database === undefined) return null;
    if (!database.capabilities.untrustedSql) return NOT_OFFERED;
    const attached = attachedDatabases(rowhouse, database);
    return attached.length === 0 ? null : attachedOpinion(rowhouse, actor, attached);
  });
  return opinions.every((opinion) => opinion === null) ? null : Promise.all(opinions);
}

async function attachedOpinion(
  { permissions }: Rowhouse,
  actor: Actor | null,
  attached: readonly Database[],
): Promise<Opinion | null> {
  const chains = attached.flatMap(({ name }) => [
    permissionChain({ database: name }),
    [["execute-sql", name]] as const,
  ]);
  return (await permissions.visible(actor, chains)).every(Boolean) ? null : ATTACHED_DENIED;
}
