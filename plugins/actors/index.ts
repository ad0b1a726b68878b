import { definePlugin, type Rowhouse } from "rowhouse/plugin-api";
import { bundledHooks, type ActorsById } from "rowhouse/plugin-api/contracts";

/** Owns the hook by which plugins return the actors that belong to ids. */
export default definePlugin({
  name: "actors",
  deterministic: true,
  unguarded: true,
  provides: ["actors"],
  hooks: bundledHooks.actors,
  setup: (rowhouse) => rowhouse.provide("actors", { fromIds: (ids) => actorsFromIds(rowhouse, ids) }),
});

async function actorsFromIds(rowhouse: Rowhouse, ids: readonly string[]): Promise<ActorsById> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return {};
  const known = new Map(
    Object.entries((await rowhouse.hooks.actors_from_ids.promise(rowhouse, { ids: unique })) ?? {}),
  );
  return Object.fromEntries(unique.map((id) => [id, known.get(id) ?? { id }]));
}
