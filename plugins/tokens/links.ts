import type { Actor, Link, Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { isTokenHolder } from "./issue.js";
import type { TokenRegistry } from "./registry/registry.js";

const CREATE = "/-/create-token";
const LIST = "/-/tokens";

/** The link in the menu of actors that may have tokens: to their tokens, or to the form where no list is kept. */
export function tokenLink(rowhouse: Rowhouse, actor: Actor | null): Link | null {
  if (!isTokenHolder(rowhouse, actor)) return null;
  return rowhouse.option("internal") === undefined
    ? { label: "Create an API token", href: rowhouse.urls.path(CREATE) }
    : { label: "Your API tokens", href: rowhouse.urls.path(LIST) };
}

/** The pages about tokens, and the tokens of the actor by their names. */
export async function tokenPlaces(
  rowhouse: Rowhouse,
  actor: Actor | null,
  opening: Promise<TokenRegistry> | null,
): Promise<readonly JumpItem[]> {
  if (!isTokenHolder(rowhouse, actor)) return [];
  const registry = await opening;
  const tokens = (await registry?.list(actor.id)) ?? [];
  const list = rowhouse.urls.path(LIST);
  return [
    {
      kind: "page",
      label: "Create an API token",
      detail: null,
      href: rowhouse.urls.path(CREATE),
      later: true,
    },
    ...(registry === null
      ? []
      : [{ kind: "page", label: "Your API tokens", detail: null, href: list, later: true }]),
    ...tokens
      .filter(({ name, revoked }) => name !== null && revoked === null)
      .map(({ id, name }) => ({
        kind: "token",
        label: name ?? id,
        detail: "your API token",
        href: `${list}#token-${id}`,
        later: true,
      })),
  ];
}
