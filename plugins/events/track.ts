import type { EventType, Rowhouse, TrackedEvent, EventName } from "rowhouse/plugin-api";

const known = new WeakMap<Rowhouse, Promise<readonly EventType[]>>();
const warned = new WeakMap<Rowhouse, Set<string>>();

/** All kinds of events, collected on first use. */
export function eventTypes(rowhouse: Rowhouse): Promise<readonly EventType[]> {
  const types = known.get(rowhouse) ?? rowhouse.hooks.register_events.promise([], rowhouse, {});
  known.set(rowhouse, types);
  return types;
}

/** Sends an event to all plugins. Never rejects: the change has been committed, so failures are only logged. */
export async function track(rowhouse: Rowhouse, event: TrackedEvent): Promise<void> {
  try {
    await warnOfUnknown(rowhouse, event.name);
    await rowhouse.hooks.track_event.promise(rowhouse, { event });
  } catch (error) {
    rowhouse.log.error(`The event ${event.name} could not be sent`, error);
  }
}

/** Warns once about an event that no plugin registers: lists of events do not contain it. */
async function warnOfUnknown(rowhouse: Rowhouse, name: string): Promise<void> {
  const types = await eventTypes(rowhouse);
  const names = warned.get(rowhouse) ?? new Set();
  if (types.some((type) => type.name === name) || names.has(name)) return;
  warned.set(rowhouse, names.add(name));
  rowhouse.log.warn(`The event ${name} is sent, but no plugin registers it (register_events)`);
}

const DESCRIPTIONS: Readonly<Partial<Record<EventName, string>>> = {
  "create-table": "A table was created",
  "drop-table": "A table was dropped",
  "alter-table": "A table's schema was changed",
  "rename-table": "A table was renamed",
  "insert-rows": "Rows were inserted",
  "upsert-rows": "Rows were inserted or changed, by their primary keys",
  "update-row": "A row was changed",
  "delete-row": "A row was deleted",
  "update-rows": "The rows that a filter selects were changed",
  "delete-rows": "The rows that a filter selects were deleted",
  "create-index": "An index was created",
  "drop-index": "An index was dropped",
  "enable-search": "Full-text search was enabled for a table",
  "disable-search": "Full-text search was disabled for a table",
  "set-column-type": "The type of a column was set or removed",
  "create-token": "A token was created",
  "refuse-token": "A forged, expired or revoked token was ignored",
  "revoke-token": "A token was revoked",
  "write-query": "A canned query that writes was run",
  login: "An actor signed in",
  logout: "An actor signed out",
};

/** The events of Rowhouse itself. */
export const bundledEvents: readonly EventType[] = Object.entries(DESCRIPTIONS).map(
  ([name, description]) => ({
    name,
    description,
  }),
);
