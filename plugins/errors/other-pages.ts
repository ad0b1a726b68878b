import { permissionChain, type Actor, type Link, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { RowNotFound } from "rowhouse/plugin-api/errors";
import { pathNames } from "./needed-permission.js";
import { tOf } from "./texts.js";

/** A request that failed, with its actor and the error. */
export interface Failed {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly error: Error;
}

/**
 * Links to pages that the actor may view: signing in, the table and the database that the path names, and the start page.
 * A table or database that the actor may not view has no link, as if it did not exist.
 */
export async function otherPages(rowhouse: Rowhouse, failed: Failed): Promise<readonly Link[]> {
  const { request, actor } = failed;
  const { urls, permissions } = rowhouse;
  const t = tOf({ rowhouse, request });
  const links = [...(await signIn(rowhouse, failed))];
  const { database, resource } = pathNames(rowhouse, request);
  const known = database === null ? undefined : rowhouse.databases.get(database);
  if (known !== undefined && database !== null) {
    const isOther = resource !== null && isInside(failed);
    if (isOther && (await permissions.allowed(actor, permissionChain({ database, table: resource })))) {
      const { tables } = await known.schema();
      if (tables.has(resource))
        links.push({
          href: urls.table(database, resource),
          label: t("other_pages.table", { name: resource }),
        });
    }
    const isPage = resource === null && request.queryString === "" && !request.path.includes("/-/");
    if (!isPage && (await permissions.allowed(actor, permissionChain({ database }))))
      links.push({ href: urls.database(database), label: t("other_pages.database", { name: database }) });
  }
  if (request.path !== "/" && (await permissions.allowed(actor, permissionChain())))
    links.push({ href: urls.instance(), label: t("other_pages.start") });
  return links;
}

/** True if the request was for something inside of a table: a row that is missing, or an action. */
const isInside = ({ request, error }: Failed): boolean =>
  error instanceof RowNotFound || request.path.includes("/-/");

/** The links of the menu that sign people in. */
async function signIn(rowhouse: Rowhouse, { request, actor }: Failed): Promise<readonly Link[]> {
  if (actor !== null) return [];
  const links = await rowhouse.hooks.menu_links.promise([], rowhouse, { request, actor });
  return links.flatMap((item) => ("href" in item && item.signsIn === true ? [item] : []));
}
