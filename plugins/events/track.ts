import type { EventType, Rowhouse, TrackedEvent, EventName } from "rowhouse/plugin-api";

const known = new WeakMap<Rowhouse, Promise<readonly EventType[]>>();
const mistaken = new WeakMap<Rowhouse, Set<string>>();

/** Every kind of event, asked for once. */
export function eventTypes(rowhouse: Rowhouse): Promise<readonly EventType[]> {
  const types = known.get(rowhouse) ?? rowhouse.hooks.register_events.promise([], rowhouse, {});
  known.set(rowhouse, types);
  return types;
}

/** Tells every plugin what happened, which has happened: whoever tells of it is not to blame for who listens. */
export async function track(rowhouse: Rowhouse, event: TrackedEvent): Promise<void> {
  try {
    await warnOfUnknown(rowhouse, event.name);
    await rowhouse.hooks.track_event.promise(rowhouse, { event });
  } catch (error) {
    rowhouse.log.error(`The event ${event.name} could not be told`, error);
  }
}

/** An event that nobody registered is listed nowhere; its author is told once. */
async function warnOfUnknown(rowhouse: Rowhouse, name: string): Promise<void> {
  const types = await eventTypes(rowhouse);
  const told = mistaken.get(rowhouse) ?? new Set();
  if (types.some((type) => type.name === name) || told.has(name)) return;
  mistaken.set(rowhouse, told.add(name));
  rowhouse.log.warn(`The event ${name} is sent, but no plugin registers it (register_events)`);
}

const DESCRIPTIONS: Readonly<Partial<Record<EventName, string>>> = {
  "create-table": "A table was made",
  "drop-table": "A table was taken away",
  "alter-table": "A table's schema was changed",
  "rename-table": "A table was given another name",
  "insert-rows": "Rows were inserted",
  "upsert-rows": "Rows were inserted or changed, by their primary keys",
  "update-row": "A row was changed",
  "delete-row": "A row was deleted",
  "update-rows": "The rows that a filter selects were changed",
  "delete-rows": "The rows that a filter selects were deleted",
  "create-index": "An index was made",
  "drop-index": "An index was taken away",
  "enable-search": "A table was given full-text search",
  "disable-search": "A table's full-text search was taken away",
  "set-column-type": "A column was given a type, or a type was taken away",
  "create-token": "A token was made",
  "refuse-token": "A token was sent that is not, or no longer, to be trusted",
  "revoke-token": "A token was taken out of force before its time",
  "write-query": "A canned query that writes was run",
  login: "Somebody signed in",
  logout: "Somebody signed out",
};

/** What Rowhouse itself sends. */
export const bundledEvents: readonly EventType[] = Object.entries(DESCRIPTIONS).map(
  ([name, description]) => ({
    name,
    description,
  }),
);
