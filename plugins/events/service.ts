import { RowhouseError, type Rowhouse, type Services, type Transaction } from "rowhouse/plugin-api";
import { PluginError, SqlFailed } from "rowhouse/plugin-api/errors";
import type {
  AroundWrite,
  EventName,
  EventType,
  TrackedEvent,
  WriteFacts,
  WriteWrapper,
} from "rowhouse/plugin-api/contracts";

/** The service `events`: sends events about changes, and wraps writes in what plugins put around them. */
export function eventsService(rowhouse: Rowhouse): Services["events"] {
  const tracker = new EventTracker(rowhouse);
  return {
    types: () => tracker.types(),
    track: (event) => tracker.track(event),
    around: (facts) => around(rowhouse, facts),
  };
}

/** The kinds of events of one server, and the way to send one. */
class EventTracker {
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
  "execute-write": "SQL of a client changed rows",
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

/** The combined wrappers for one write; the last one registered is outermost. Null if there are none. */
async function around(rowhouse: Rowhouse, facts: WriteFacts): Promise<AroundWrite | null> {
  const wrappers = await rowhouse.hooks.write_wrapper.promise([], rowhouse, facts);
  if (wrappers.length === 0) return null;
  const limited = wrappers.map((wrapper) => withTimeLimit(rowhouse, wrapper));
  return <T>(write: () => Promise<T>, transaction: Transaction) =>
    limited.reduce<() => Promise<T>>((inner, wrapper) => () => wrapper(inner, transaction), write)();
}

/**
 * Limits the time of a wrapper, without the time of the write. A wrapper runs inside the transaction on the only writing
 * connection, so one that never ends would block all writes. At the limit the write fails.
 */
function withTimeLimit(rowhouse: Rowhouse, wrapper: WriteWrapper): AroundWrite {
  const author = rowhouse.pluginOf(wrapper);
  const limitMs = author === null ? 0 : Number(rowhouse.settings.get("hook_time_limit_ms")?.value ?? 0);
  return async <T>(write: () => Promise<T>, transaction: Transaction): Promise<T> => {
    const clock = new Clock(limitMs);
    const guarded = new GuardedWrite(() => clock.pausedFor(write));
    try {
      await Promise.race([wrapper(() => guarded.run(), transaction), clock.ranOut]);
      return await guarded.result();
    } catch (error) {
      if (author === null || error === guarded.error) throw error;
      const named = new PluginError(author, "write_wrapper", error);
      // The client gets the message of the engine, as for other statements of plugins. The log names the plugin.
      if (error instanceof SqlFailed) rowhouse.log.warn(named.message);
      throw error instanceof RowhouseError ? error : named;
    } finally {
      clock.stop();
    }
  };
}

/** The write as a wrapper receives it. It runs once; its result is independent of the result of the wrapper. */
class GuardedWrite<T> {
  /** The error of the write; null if it has not failed. */
  error: unknown = null;
  #result: Promise<T> | null = null;

  constructor(private readonly write: () => Promise<T>) {}

  async run(): Promise<T> {
    if (this.#result !== null) throw new Error("it ran the write twice");
    this.#result = this.write();
    // Wrappers need not wait for the result: `result` does.
    this.#result.catch((error: unknown) => (this.error = error));
    return this.#result;
  }

  /** @throws Error if the write was not run, or the error of the write, also if the wrapper caught it */
  async result(): Promise<T> {
    if (this.#result === null) throw new Error("it neither ran the write nor refused it");
    return this.#result;
  }
}

/** Measures the time of a wrapper without the time of the write. */
class Clock {
  readonly ranOut: Promise<never>;
  readonly #limitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #reject: (error: Error) => void = () => {};
  #isOver = false;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.ranOut = new Promise((_, reject) => (this.#reject = reject));
    this.#start();
  }

  async pausedFor<T>(write: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error("it writes after its time ran out");
    clearTimeout(this.#timer);
    try {
      return await write();
    } finally {
      if (!this.#isOver) this.#start();
    }
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#limitMs === 0) return;
    const late = (): void => this.#reject(new Error(`no answer within ${this.#limitMs} ms`));
    this.#timer = setTimeout(late, this.#limitMs);
  }
}
