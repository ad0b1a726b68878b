import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { isAddress, objectWith } from "../kernel/hook-results.js";
import type { Actor } from "../access/permissions.js";
import type { Request } from "../http/request.js";

/** An entry of the jump menu. */
export interface JumpItem {
  /** The kind of the page: `table`, `query`. */
  readonly kind: string;
  readonly label: string;
  /** Its database or title; null for none. */
  readonly detail: string | null;
  readonly href: string;
  /** True for entries that are listed only for a typed text, and after others that fit it as well. */
  readonly later?: boolean;
  /** True for entries that were found by `query`. They are not compared with it again, and come last. */
  readonly found?: boolean;
}

const aPlace = objectWith("a place", { kind: "string", label: "string", href: "string" });

/** The hooks of the plugin that owns this contract. */
export const jumpHooks = defineHooks({
  /** Each request of the jump menu: further entries. Return only those that the actor may view. */
  jump_items: hook.collect<
    {
      readonly request: Request;
      readonly actor: Actor | null;
      /** The typed text; empty if nothing was typed. */
      readonly query: string;
    },
    JumpItem
  >({
    affects: "nothing",
    failing: "skip",
    expects: {
      what: "a place with kind, label and href, of this site or by http, https or mailto",
      is: (answer) => aPlace.is(answer) && isAddress((answer as JumpItem).href),
    },
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof jumpHooks> {}
}
