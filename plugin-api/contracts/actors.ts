import type { First } from "../hooks.js";
import type { Actor } from "../permissions.js";

/** Actors by their id. */
export type ActorsById = Readonly<Record<string, Actor>>;

declare module "../hooks.js" {
  interface HookTable {
    /** Who ids stand for, for pages that show who did something. Ids that are left out stay `{ id }`. */
    actors_from_ids: First<{ readonly ids: readonly string[] }, ActorsById>;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    actors: {
      /** An actor for each of these ids: what a plugin knows of it, else `{ id }`. */
      fromIds(ids: readonly string[]): Promise<ActorsById>;
    };
  }
}
