import { atLeast, defineSettings, type SettingsOf } from "../kernel/settings.js";

/** The settings of the plugin autocomplete. */
export const autocompleteSettings = defineSettings({
  autocomplete_time_limit_ms: {
    default: 200,
    help: "Time limit for each statement that completes typed text",
    unlisted: true,
    check: atLeast(1),
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof autocompleteSettings> {}
}
