declare module "../rowhouse.js" {
  interface Settings {
    default_cache_ttl: number;
    reply_cache_kb: number;
    allow_csv_stream: boolean;
    /** MiB; 0 is no limit. */
    max_csv_mb: number;
    allow_download: boolean;
    trace_debug: boolean;
    /** Messages of private errors are shown to clients. */
    error_debug: boolean;
  }
  interface Options {
    /** CORS headers on every data reply. */
    cors: boolean;
    /** Development mode: no cache headers. */
    reload: boolean;
    /** Shown in `/-/versions`. */
    versionNote: string;
    /** Counts and hashes of immutable databases, by database name. */
    inspect: Readonly<Record<string, InspectedDatabase>>;
    /** File of the internal database. */
    internal: string;
    /** The other databases are attached to the in-memory database. */
    crossdb: boolean;
  }
}

/** The facts about an immutable file from `rowhouse inspect`. */
export interface InspectedDatabase {
  readonly hash: string;
  readonly size: number;
  readonly file: string;
  readonly tables: Readonly<Record<string, { readonly count: number }>>;
}
