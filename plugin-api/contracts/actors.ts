import type { First } from "../hooks.js";
import type { Actor } from "../permissions.js";

/** Actors by their id. */
export type ActorsById = Readonly<Record<string, Actor>>;

declare module "../hooks.js" {
  interface HookTable {
    /** The actors of ids, for pages that show names. Ids without a result are shown as they are. */
    actors_from_ids: First<{ readonly ids: readonly string[] }, ActorsById>;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    actors: {
      /** The actor of each id from `actors_from_ids`, else `{ id }`. */
      fromIds(ids: readonly string[]): Promise<ActorsById>;
    };
  }
}
