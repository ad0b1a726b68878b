import { atMost, defineSettings, LONGEST_TIMER_MS, type SettingsOf } from "../kernel/settings.js";
/** The settings of the plugin plugin-guard. */
export const pluginGuardSettings = defineSettings({
  /** Milliseconds for one call of an installed plugin; at start twelve times as long; 0 is no limit. */
  hook_time_limit_ms: {
    default: 5000,
    help: "Time limit for one answer of an installed plugin, at start twelve times as long; 0 is no limit",
    unlisted: true,
    check: atMost(Math.floor(LONGEST_TIMER_MS / 12)),
  },
  /** Milliseconds until a view or renderer of an installed plugin returns for a GET request; 0 is no limit. */
  view_time_limit_ms: {
    default: 60_000,
    help: "Time limit until a page of an installed plugin, or its output format, begins to answer; 0 is no limit",
    unlisted: true,
    check: atMost(LONGEST_TIMER_MS),
  },
});

declare module "../kernel/rowhouse.js" {
  interface Services {
    /** Implements `rowhouse.pluginOf`. */
    pluginGuard: { pluginOf(contribution: object): string | null };
  }
  interface Settings extends SettingsOf<typeof pluginGuardSettings> {}
}
