import type { DatabaseLocation, Log, Options, Plugin, SettingValue } from "rowhouse/plugin-api";

/** Everything a kernel is opened with. The kernel reads no environment, no file and no console of its own. */
export interface KernelOptions {
  /** In the order they were found; see `firingOrder` for the order in which their hooks run. */
  readonly plugins: readonly PluginInput[];
  /** Plugins that were left out: taps of their hooks are no mistake, but nobody fires these. */
  readonly switchedOff?: readonly Plugin[];
  readonly databases?: readonly DatabaseLocation[];
  /** Values by name, already of the right type. */
  readonly settings?: Readonly<Record<string, SettingValue>>;
  /** The first signs, all are accepted. */
  readonly secrets: readonly [string, ...string[]];
  readonly options?: Partial<Options>;
  readonly log?: Log;
  readonly version?: string;
  /** Registers everything and starts nothing, `startup` included: for commands that only ask around. */
  readonly dormant?: boolean;
}

export interface PluginInput {
  readonly plugin: Plugin;
  readonly bundled: boolean;
  readonly version?: string | null;
}
