import { defineSettings, type SettingsOf } from "../kernel/settings.js";

const atLeast = (minimum: number) => (value: unknown) =>
  typeof value === "number" && value >= minimum ? null : `must be at least ${minimum}`;

/** The settings of the plugin postgres. */
export const postgresSettings = defineSettings({
  /** Sessions that read, for each database and server. */
  postgres_sessions: {
    default: 10,
    help: "Sessions that read, for each Postgres database and server",
    check: atLeast(1),
    unlisted: true,
  },
  /** Standbys that are further behind the primary are not read from. */
  max_replica_lag_seconds: {
    default: 10,
    help: "Seconds that a Postgres standby may be behind the primary to be read from",
    check: atLeast(0),
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof postgresSettings> {}
}
