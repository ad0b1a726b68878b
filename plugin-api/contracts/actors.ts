import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { objectOf } from "../kernel/hook-results.js";
import type { Actor } from "../access/permissions.js";

/** Actors by their id. */
export type ActorsById = Readonly<Record<string, Actor>>;

/** The hooks of the plugin that owns this contract. */
export const actorHooks = defineHooks({
  /** The actors of ids, for pages that show names. Ids without a result are shown as they are. */
  actors_from_ids: hook.first<{ readonly ids: readonly string[] }, ActorsById>({
    failing: "skip",
    expects: objectOf("an object of actors by id"),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof actorHooks> {}
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    actors: {
      /** The actor of each id from `actors_from_ids`, else `{ id }`. */
      fromIds(ids: readonly string[]): Promise<ActorsById>;
    };
  }
}
