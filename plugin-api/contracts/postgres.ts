import { atLeast, defineSettings, type SettingsOf } from "../kernel/settings.js";

/** The settings of the plugin postgres. */
export const postgresSettings = defineSettings({
  /** Sessions that read, for each database and server. */
  postgres_sessions: {
    default: 10,
    help: "Sessions that read, for each PostgreSQL database and server",
    check: atLeast(1),
    unlisted: true,
  },
  /** Standbys that are further behind the primary are not read from. */
  max_replica_lag_seconds: {
    default: 10,
    help: "Seconds that a PostgreSQL standby may be behind the primary to be read from",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof postgresSettings> {}
}
