import type { EventType, Rowhouse, TrackedEvent } from "rowhouse/plugin-api";

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
