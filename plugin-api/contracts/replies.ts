import type { Actor } from "../access/permissions.js";
import type { Database } from "../engine/database.js";
import { defineSettings, type SettingsOf } from "../kernel/settings.js";

/** The settings of the plugin http-cache. */
export const httpCacheSettings = defineSettings({
  default_cache_ttl: {
    default: 5,
    help: "Seconds a page may be kept by caches: Cache-Control: max-age",
  },
  reply_cache_kb: {
    default: 8_192,
    help: "Memory for replies that are sent again while the data stays the same, in KB; 0 keeps none",
    unlisted: true,
  },
});

/** The settings of the plugin csv. */
export const csvSettings = defineSettings({
  allow_csv_stream: { default: true, help: "Allow .csv?_stream=1 to export all rows" },
  /** MiB; 0 is no limit. */
  max_csv_mb: {
    default: 100,
    help: "Most MB of one CSV export; 0 for no limit",
  },
});

/** The settings of the plugin download. */
export const downloadSettings = defineSettings({
  allow_download: { default: true, help: "Allow people to download the original SQLite files" },
});

/** The settings of the plugin trace. */
export const traceSettings = defineSettings({
  trace_debug: { default: false, help: "Show the SQL behind a page, and its time, for ?_trace=1" },
});

/** The settings of the plugin errors. */
export const errorsSettings = defineSettings({
  /** Messages of private errors are shown to clients. */
  error_debug: {
    default: false,
    help: "Show clients the messages of unexpected errors, which may name files and values",
    unlisted: true,
  },
  /** As in later versions of Datasette. */
  uniform_errors: {
    default: false,
    help: "All errors in JSON have error, errors and status, of reads and writes alike",
    unlisted: true,
  },
});

/** The service of the plugin download. */
export interface DownloadService {
  /** True if the actor gets the file of the database at `/<database>.db`. */
  mayDownload(actor: Actor | null, database: Database): Promise<boolean>;
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    downloads: DownloadService;
  }
  interface Settings
    extends
      SettingsOf<typeof httpCacheSettings>,
      SettingsOf<typeof csvSettings>,
      SettingsOf<typeof downloadSettings>,
      SettingsOf<typeof traceSettings>,
      SettingsOf<typeof errorsSettings> {}
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
