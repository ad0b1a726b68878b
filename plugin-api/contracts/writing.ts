import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { Database, Transaction } from "../engine/database.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { functionOf, objectWith } from "../kernel/hook-results.js";
import type { Actor } from "../access/permissions.js";
import type { Request } from "../http/request.js";
import type { Visit } from "../http/route.js";

interface EventBase {
  readonly actor: Actor | null;
  readonly created: Date;
}

/** Events by name, sent after the commit. Names and fields are published. Plugins add theirs by declaration merging. */
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
    /** The rows that were sent. With `ignore`, those that existed are among them. */
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
  /** `column_type` is null if the type was removed. */
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
  /** A statement of a client was run. `tables` are those that it changed, also by triggers. */
  "execute-write": EventBase & {
    readonly database: string;
    readonly sql: string;
    readonly tables: readonly string[];
    readonly num_rows: number;
  };
  login: EventBase;
  logout: EventBase;
}

/** The names of all events, also those of other plugins. */
export type EventName = keyof Events;
/** An event as `track_event` receives it. */
export type TrackedEvent = {
  readonly [Name in EventName]: { readonly name: Name } & Events[Name];
}[EventName];

/** A kind of event, for lists of events. */
export interface EventType {
  readonly name: string;
  /** When it is sent. */
  readonly description: string;
}

/** A write request, for write wrappers. */
export interface WriteFacts {
  readonly database: string;
  readonly table: string | null;
  readonly request: Request | null;
  readonly actor: Actor | null;
}

/**
 * Runs `write` once, inside its transaction, and may run further statements in the transaction. If it throws, the
 * transaction rolls back. Its result is ignored. To reject the write, it must throw: a wrapper that returns without
 * having run `write` fails.
 */
export type WriteWrapper = (write: () => Promise<unknown>, transaction: Transaction) => Promise<unknown>;

/** The combined wrappers of all plugins for one write. */
export type AroundWrite = <T>(write: () => Promise<T>, transaction: Transaction) => Promise<T>;

/** The hooks of the plugin that owns this contract. */
export const eventHooks = defineHooks({
  /** At the start: kinds of events that a plugin sends. Their types are declared in `Events`. */
  register_events: hook.collect<Nothing, EventType>({
    affects: "nothing",
    expects: objectWith("a kind of event with name and description", {
      name: "string",
      description: "string",
    }),
  }),
  /** Each event, after the commit. Failures are logged and have no other effect. */
  track_event: hook.notify<{ readonly event: TrackedEvent }>({ affects: "nothing", failing: "skip" }),
  /**
   * Each write request: a function that wraps the write. The last one registered is outermost. The command
   * `rowhouse insert` does not call it, because it runs without `startup` and without the databases of a server. Plugins
   * that write with `Database.write` call it with `around` of the service `events`.
   */
  write_wrapper: hook.collect<WriteFacts, WriteWrapper>({
    // A wrapper may refuse the write.
    affects: "nothing",
    enforces: true,
    expects: functionOf("a function that is given the write"),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof eventHooks> {}
}

/** The settings of the plugin write-api. */
export const writeApiSettings = defineSettings({
  max_insert_rows: {
    default: 100,
    help: "Maximum rows that can be inserted at a time using the bulk insert API",
  },
  max_batch_operations: {
    default: 1000,
    help: "Maximum operations in one request to /-/batch",
    unlisted: true,
  },
  /** The largest body that is read row by row; 0 is no limit. */
  max_insert_stream_mb: {
    default: 1000,
    help: "Maximum size in MB of CSV or newline-delimited JSON that is inserted - set to 0 for no limit",
    unlisted: true,
  },
  idempotency_key_hours: {
    default: 24,
    help: "Hours for which a repeated Idempotency-Key gets the reply of the first request",
    unlisted: true,
  },
});

/** The settings of the plugin audit. */
export const auditSettings = defineSettings({
  /** Days until entries of the audit log are deleted; 0 is never. */
  audit_retention_days: {
    default: 90,
    help: "Days for which --internal keeps what was changed by whom; 0 is for ever",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof writeApiSettings>, SettingsOf<typeof auditSettings> {}
  interface Services {
    events: {
      /** All registered kinds of events. */
      types(): Promise<readonly EventType[]>;
      /**
       * Sends an event to all plugins, one after the other. Never rejects. Unregistered kinds of events are logged once.
       */
      track(event: TrackedEvent): Promise<void>;
      /** The combined wrappers for a write; the last one registered is outermost. Null if there are none. */
      around(facts: WriteFacts): Promise<AroundWrite | null>;
    };
    writeErrors: {
      /**
       * The error of a canned query that failed to write, for its actor: its message names no tables, columns and checks
       * that are hidden from the actor, unless the SQL of the query names the table. Other errors are returned unchanged.
       */
      ofQuery(
        context: Pick<Visit, "rowhouse" | "request" | "actor">,
        query: { readonly database: Database; readonly sql: string },
        error: unknown,
      ): Promise<unknown>;
    };
  }
}
