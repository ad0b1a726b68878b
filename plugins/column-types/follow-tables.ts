import type { TrackedEvent } from "rowhouse/plugin-api";
import type { Registry } from "./registry.js";

/** Types that were set go with a table that gets another name, and end with one that is dropped. */
export async function keepInStep({ store }: Registry, event: TrackedEvent): Promise<void> {
  if (store === null) return;
  if (event.name === "rename-table") await store.rename(event.database, event.old_table, event.new_table);
  if (event.name === "drop-table") await store.forget(event.database, event.table);
}
