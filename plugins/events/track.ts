import type { Rowhouse } from "rowhouse/plugin-api";
import type { EventType, TrackedEvent, EventName } from "rowhouse/plugin-api/contracts";

/** The kinds of events of one server, and the way to send one. */
export class EventTracker {
  readonly #warned = new Set<string>();
  #types: Promise<readonly EventType[]> | null = null;

  constructor(private readonly rowhouse: Rowhouse) {}

  /** All kinds of events, collected on first use. */
  types(): Promise<readonly EventType[]> {
    return (this.#types ??= this.rowhouse.hooks.register_events.promise([], this.rowhouse, {}));
  }

  /** Sends an event to all plugins. Never rejects: the change has been committed, so failures are only logged. */
  async track(event: TrackedEvent): Promise<void> {
    try {
      await this.#warnOfUnknown(event.name);
      await this.rowhouse.hooks.track_event.promise(this.rowhouse, { event });
    } catch (error) {
      this.rowhouse.log.error(`The event ${event.name} could not be sent`, error);
    }
  }

  /** Warns once about an event that no plugin registers: lists of events do not contain it. */
  async #warnOfUnknown(name: string): Promise<void> {
    const types = await this.types();
    if (types.some((type) => type.name === name) || this.#warned.has(name)) return;
    this.#warned.add(name);
    this.rowhouse.log.warn(`The event ${name} is sent, but no plugin registers it (register_events)`);
  }
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
