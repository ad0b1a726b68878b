import type { Argv } from "yargs";
import type { Command, CommandGroup, PublishTarget, Rowhouse } from "rowhouse/plugin-api";
import { bundleOf } from "./bundle.js";
import { DASHED_VALUES, describeFiles, pluginSecretOption, sharedOptions } from "./shared-options.js";
import { toolNamed } from "./tool.js";
import { readWishes } from "./read-options.js";
import type { Values } from "./values.js";

const NAME = /^[a-z][a-z0-9-]*$/;

/** `rowhouse publish`: a command for each target that plugins have. */
export async function publishCommand(rowhouse: Rowhouse): Promise<CommandGroup> {
  const targets = new Map<string, PublishTarget>();
  const target = (added: PublishTarget): void => {
    checkTarget(added);
    if (!targets.has(added.name)) targets.set(added.name, added);
  };
  await rowhouse.hooks.publish_subcommand.promise(rowhouse, { publish: { target, tool: toolNamed } });
  const sorted = [...targets.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    command: "publish",
    describe: "Put databases and what belongs to them on the web",
    commands: sorted.map((one) => targetCommand(rowhouse, one)),
  };
}

function checkTarget({ name, describe, handler }: PublishTarget): void {
  const isTarget = NAME.test(String(name)) && typeof describe === "string" && typeof handler === "function";
  if (!isTarget) throw new Error("a target needs a name of small letters, describe and handler");
}

const targetCommand = (rowhouse: Rowhouse, { name, describe, options, handler }: PublishTarget): Command => ({
  command: `${name} [files..]`,
  describe,
  dashedValues: DASHED_VALUES,
  builder: (line: Argv<object>) =>
    describeFiles(line)
      .options(options ?? {})
      .options({ ...sharedOptions, ...pluginSecretOption }),
  handler: async (values: Values) => {
    const bundle = bundleOf(await readWishes(values), rowhouse.version);
    await (handler as (bundle: unknown, values: Values) => unknown)(bundle, values);
  },
});
