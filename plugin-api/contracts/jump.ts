import type { Collect } from "../hooks.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";

/** A place that the jump menu offers. */
export interface JumpItem {
  /** What it is, for people: `table`, `query`. */
  readonly kind: string;
  readonly label: string;
  /** Where it belongs, or another name of it. */
  readonly detail: string | null;
  readonly href: string;
}

declare module "../hooks.js" {
  interface HookTable {
    /** Further places for the jump menu. Give only what the actor may know of. */
    jump_items: Collect<{ readonly request: Request; readonly actor: Actor | null }, JumpItem>;
  }
}
