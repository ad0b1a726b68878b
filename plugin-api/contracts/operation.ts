import { defineSettings, type SettingsOf } from "../kernel/settings.js";

/** The settings of the plugin probes. */
export const probesSettings = defineSettings({
  /** Milliseconds after a signal in which `/-/ready` answers 503 and new connections are still accepted. */
  drain_delay_ms: {
    default: 0,
    help: "How long /-/ready answers 503 after a signal to end, before connections are refused, in milliseconds",
    unlisted: true,
  },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof probesSettings> {}
}
