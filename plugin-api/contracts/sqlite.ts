import { atLeast, defineSettings, type SettingsOf } from "../kernel/settings.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";

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

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof sqliteHooks> {}
}

/** The settings of the plugin sqlite. */
export const sqliteSettings = defineSettings({
  /** Milliseconds a statement may take. */
  sql_time_limit_ms: { default: 1000, help: "Time limit for a SQL query in milliseconds", check: atLeast(1) },
  /** Reading connections per database. */
  num_sql_threads: {
    default: 3,
    help: "Number of threads in the thread pool for executing SQLite queries",
  },
  /** SQLite's page cache per connection in KiB; 0 leaves SQLite's default. */
  cache_size_kb: { default: 0, help: "SQLite cache size in KB (0 == use SQLite default)" },
  /** KiB for everything that is derived from the text of statements. */
  statement_cache_kb: {
    default: 8192,
    help: "Memory for statements that are prepared for the next request, in KB",
    unlisted: true,
  },
  /** Where statements run that have a part written by a caller: in processes that can be killed, or on threads. */
  sql_isolation: {
    default: "process" as "process" | "thread",
    help: "Where untrusted SQL runs: process (can be killed) or thread",
    check: (value) =>
      value === "process" || value === "thread" ? null : '"sql_isolation" should be process or thread',
    unlisted: true,
  },
  /** Processes for such statements; streams have up to eight more. */
  num_sql_processes: {
    default: 3,
    help: "Number of processes for untrusted SQL",
    check: atLeast(1),
    unlisted: true,
  },
  /** MiB that each of these processes may use. */
  sql_process_memory_mb: {
    default: 512,
    help: "Memory that each of these processes may use, in MiB",
    check: atLeast(128),
    unlisted: true,
  },
  /** Milliseconds that a write waits for another program's lock, unless `timeoutMs` says otherwise; in PostgreSQL, a read too. */
  lock_wait_ms: {
    default: 5000,
    help: "How long a write waits for another program's lock, in milliseconds",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof sqliteSettings> {}
  interface Options {
    /** `path` or `path:entrypoint` of SQLite extensions for every connection. */
    loadExtension: readonly string[];
  }
}
