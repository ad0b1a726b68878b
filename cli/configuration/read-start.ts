import type { KernelOptions, PluginInput } from "rowhouse";
import type { Log } from "rowhouse/plugin-api";
import type { PartialChoices } from "../arguments/choices.js";
import { choosePlugins, serverOptions } from "./kernel-options.js";
import { logFor } from "./log-for.js";
import type { Resolved } from "./resolve.js";

/** What a start reads, and each reload again: the choices, the code of the plugins, the metadata. */
export interface Start {
  readonly choices: PartialChoices;
  readonly options: KernelOptions;
  /** The module of each installed plugin by its name. */
  readonly files: ReadonlyMap<string, string>;
  readonly log: Log;
}

/** What a process adds to what it reads. */
export interface StartAdditions {
  readonly plugins: readonly PluginInput[];
  /** The log to use instead of that of the choices. */
  aroundLog(log: Log): Log;
}

/** Reads what the choices name. @throws StartupError */
export async function readStart(resolved: Resolved, { plugins, aroundLog }: StartAdditions): Promise<Start> {
  const { choices } = resolved;
  const found = await choosePlugins(resolved);
  const log = aroundLog(await logFor(choices));
  const options = await serverOptions(resolved, found, log);
  return {
    choices,
    options: { ...options, plugins: [...options.plugins, ...plugins] },
    files: found.files,
    log,
  };
}
