import type { Actor, Link, Request, Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { isTokenHolder } from "./issue.js";
import type { TokenRegistry } from "./registry/registry.js";
import { tOf } from "./texts.js";

const CREATE = "/-/create-token";
const LIST = "/-/tokens";

/** The link in the menu of actors that may have tokens: to their tokens, or to the form where no list is kept. */
export function tokenLink(
  rowhouse: Rowhouse,
  { request, actor }: { readonly request: Request; readonly actor: Actor | null },
): Link | null {
  const t = tOf({ rowhouse, request });
  if (!isTokenHolder(rowhouse, actor)) return null;
  return rowhouse.option("internal") === undefined
    ? { label: t("tokens.create"), href: rowhouse.urls.path(CREATE) }
    : { label: t("tokens.list"), href: rowhouse.urls.path(LIST) };
}

/** The pages about tokens, and the tokens of the actor by their names. */
export async function tokenPlaces(
  rowhouse: Rowhouse,
  { request, actor }: { readonly request: Request; readonly actor: Actor | null },
  registry: TokenRegistry | null,
): Promise<readonly JumpItem[]> {
  if (!isTokenHolder(rowhouse, actor)) return [];
  const t = tOf({ rowhouse, request });
  const tokens = (await registry?.list(actor.id)) ?? [];
  const list = rowhouse.urls.path(LIST);
  return [
    {
      kind: "page",
      label: t("tokens.create"),
      detail: null,
      href: rowhouse.urls.path(CREATE),
      later: true,
    },
    ...(registry === null
      ? []
      : [{ kind: "page", label: t("tokens.list"), detail: null, href: list, later: true }]),
    ...tokens
      .filter(({ name, revoked }) => name !== null && revoked === null)
      .map(({ id, name }) => ({
        kind: "token",
        label: name ?? id,
        detail: t("tokens.yours"),
        href: `${list}#token-${id}`,
        later: true,
      })),
  ];
}
