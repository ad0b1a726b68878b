import { Forbidden } from "rowhouse/plugin-api";
import type { Actor, Visit } from "rowhouse/plugin-api";

/** Somebody who may have tokens of their own. */
export type TokenHolder = Actor & { readonly id: string };

/**
 * Who is asking for a token, or after theirs.
 *
 * @throws Forbidden for whoever may not have one
 */
export function tokenHolder({ rowhouse, actor }: Pick<Visit, "rowhouse" | "actor">): TokenHolder {
  if (!rowhouse.setting("allow_signed_tokens")) {
    throw new Forbidden("Signed tokens are not enabled for this Rowhouse instance");
  }
  if (actor === null) throw new Forbidden("You must be logged in to create a token");
  if (!hasId(actor)) throw new Forbidden("You must be logged in as an actor with an ID to create a token");
  if (actor["token"]) {
    throw new Forbidden("Token authentication cannot be used to create additional tokens");
  }
  return actor;
}

/** A token names its actor by text; an id of another type could not be told from the text that looks like it. */
const hasId = (actor: Actor): actor is TokenHolder => typeof actor.id === "string" && actor.id !== "";
