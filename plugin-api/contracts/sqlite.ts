import type { SqlParams } from "../values.js";
import { defineHooks, hook, type HooksOf } from "../define-hooks.js";

/** A new SQLite connection. SQL functions can be added as loadable extensions, not as JavaScript functions. */
export interface SqlConnection {
  exec(sql: string): Promise<void>;
  loadExtension(path: string, entryPoint?: string): Promise<void>;
}

/** The hooks of the plugin that owns this contract. */
export const sqliteHooks = defineHooks({
  /** Each new connection, before its first statement: run statements and load extensions. */
  prepare_connection: hook.notify<{ readonly connection: SqlConnection; readonly database: string }>(),
});

declare module "../hooks.js" {
  interface HookTable extends HooksOf<typeof sqliteHooks> {}
}

declare module "../rowhouse.js" {
  interface Settings {
    /** Milliseconds a statement may take. */
    sql_time_limit_ms: number;
    /** Reading connections per database. */
    num_sql_threads: number;
    /** SQLite's page cache per connection in KiB; 0 leaves SQLite's default. */
    cache_size_kb: number;
    /** Where statements run that have a part written by a caller: in processes that can be killed, or on threads. */
    sql_isolation: "process" | "thread";
    /** Processes for such statements; streams have up to eight more. */
    num_sql_processes: number;
    /** MiB that each of these processes may use. */
    sql_process_memory_mb: number;
    /** Milliseconds for which a write waits for another program's lock, unless `timeoutMs` says otherwise. */
    lock_wait_ms: number;
  }
  interface Options {
    /** `path` or `path:entrypoint` of SQLite extensions for every connection. */
    loadExtension: readonly string[];
  }
}

/**
 * A statement that was run, as engines publish it on the channel `rowhouse:sql` of `node:diagnostics_channel`, in the
 * asynchronous context of the caller.
 */
export interface SqlTrace {
  readonly database: string;
  readonly sql: string;
  readonly params: SqlParams;
  /** Milliseconds of `performance.now()`. */
  readonly startedMs: number;
  readonly endedMs: number;
}
