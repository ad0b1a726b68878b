import type { Transaction } from "../database.js";
import type { Collect, Notify } from "../hooks.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";

interface EventBase {
  readonly actor: Actor | null;
  readonly created: Date;
}

/** What happened, after it was committed. Names and fields are published; plugins merge in their own. */
export interface Events {
  "create-table": EventBase & { readonly database: string; readonly table: string; readonly schema: string };
  "drop-table": EventBase & { readonly database: string; readonly table: string };
  "alter-table": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly before_schema: string;
    readonly after_schema: string;
  };
  "rename-table": EventBase & {
    readonly database: string;
    readonly old_table: string;
    readonly new_table: string;
  };
  "insert-rows": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly num_rows: number;
    readonly ignore: boolean;
    readonly replace: boolean;
  };
  "upsert-rows": EventBase & { readonly database: string; readonly table: string; readonly num_rows: number };
  "update-row": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly pks: readonly string[];
  };
  "delete-row": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly pks: readonly string[];
  };
  "update-rows": EventBase & { readonly database: string; readonly table: string; readonly num_rows: number };
  "delete-rows": EventBase & { readonly database: string; readonly table: string; readonly num_rows: number };
  "create-index": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly index: string;
    readonly schema: string;
  };
  "drop-index": EventBase & { readonly database: string; readonly table: string; readonly index: string };
  "enable-search": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly columns: readonly string[];
  };
  "disable-search": EventBase & { readonly database: string; readonly table: string };
  /** `column_type` is null where it was taken away. */
  "set-column-type": EventBase & {
    readonly database: string;
    readonly table: string;
    readonly column: string;
    readonly column_type: string | null;
  };
  "create-token": EventBase & {
    readonly expires_after: number | null;
    readonly restrict_all: readonly string[];
    readonly restrict_database: Readonly<Record<string, readonly string[]>>;
    readonly restrict_resource: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  };
  "refuse-token": EventBase & { readonly reason: string };
  "revoke-token": EventBase & {
    readonly token_id: string;
    readonly token_name: string | null;
    readonly token_actor: string;
  };
  /** A canned query that writes was run. */
  "write-query": EventBase & { readonly database: string; readonly query: string; readonly num_rows: number };
  login: EventBase;
  logout: EventBase;
}

/** Every kind of event, those of other plugins included. */
export type EventName = keyof Events;
/** An event as listeners are told it. */
export type TrackedEvent = {
  readonly [Name in EventName]: { readonly name: Name } & Events[Name];
}[EventName];

/** A kind of event, for whoever wants to list what there is to listen to. */
export interface EventType {
  readonly name: string;
  /** For people: when it is sent and what it tells. */
  readonly description: string;
}

/** What a write is about, for those who stand around it. */
export interface WriteFacts {
  readonly database: string;
  readonly table: string | null;
  readonly request: Request | null;
  readonly actor: Actor | null;
}

/**
 * Runs `write`, once, and sees its result or error, inside the transaction, through which it may write along.
 * What it throws undoes everything; what it returns changes nothing. A wrapper that ends without having run
 * `write` has failed: to refuse, it throws.
 */
export type WriteWrapper = (write: () => Promise<unknown>, transaction: Transaction) => Promise<unknown>;

/** The wrappers of all plugins around one write, as one. */
export type AroundWrite = <T>(write: () => Promise<T>, transaction: Transaction) => Promise<T>;

declare module "../hooks.js" {
  interface HookTable {
    /** Before the first event: the kinds a plugin sends with the service `events`, beside their types in `Events`. */
    register_events: Collect<Readonly<Record<never, never>>, EventType>;
    /** After something happened. A failing plugin is logged and changes nothing. */
    track_event: Notify<{ readonly event: TrackedEvent }>;
    /** Code around each write request. The last one registered is outermost. */
    write_wrapper: Collect<WriteFacts, WriteWrapper>;
  }
}

declare module "../rowhouse.js" {
  interface Settings {
    max_insert_rows: number;
    /** Days for which the file of `--internal` keeps what was changed by whom; 0 is for ever. */
    audit_retention_days: number;
    max_batch_operations: number;
    /** Of a body that is read row by row; 0 is no limit. */
    max_insert_stream_mb: number;
    idempotency_key_hours: number;
  }
  interface Services {
    events: {
      /** The kinds that can be sent, bundled ones and those of plugins. */
      types(): Promise<readonly EventType[]>;
      /**
       * Tells every plugin, one after the other. Never fails; of an event of a kind that nobody registered the
       * log says so, once.
       */
      track(event: TrackedEvent): Promise<void>;
      /** The code of plugins around one write, as one; the last registered is outermost. Null where there is none. */
      around(facts: WriteFacts): Promise<AroundWrite | null>;
    };
  }
}
