import type { Collect } from "../hooks.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";

/** An entry of the jump menu. */
export interface JumpItem {
  /** The kind of the page: `table`, `query`. */
  readonly kind: string;
  readonly label: string;
  /** Its database or title; null for none. */
  readonly detail: string | null;
  readonly href: string;
}

declare module "../hooks.js" {
  interface HookTable {
    /** Each request of the jump menu: further entries. Return only those that the actor may view. */
    jump_items: Collect<{ readonly request: Request; readonly actor: Actor | null }, JumpItem>;
  }
}
