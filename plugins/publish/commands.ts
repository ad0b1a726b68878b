import type { Argv } from "yargs";
import type { Command, Rowhouse } from "rowhouse/plugin-api";
import type { CommandGroup, PublishTarget, Bundle } from "rowhouse/plugin-api/contracts";
import { bundleOf } from "./bundle.js";
import {
  DASHED_VALUES,
  describeFiles,
  pluginSecretOption,
  sharedOptions,
  integerOf,
  valueOf,
  type Values,
} from "./options.js";
import { toolNamed, shellLine } from "./tool.js";
import { readSiteOptions } from "./read-options.js";

const NAME = /^[a-z][a-z0-9-]*$/;

/** `rowhouse publish`: a command for each target of plugins. */
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
    const bundle = bundleOf(await readSiteOptions(values), rowhouse.version);
    await (handler as (bundle: unknown, values: Values) => unknown)(bundle, values);
  },
});

const MISSING = 'The package command requires "docker" to be installed and configured';

/** `rowhouse package`: builds a container image of a site. */
export const packageCommand = ({ version }: Rowhouse): Command => ({
  command: "package <files..>",
  describe: "Build a container image that serves files",
  dashedValues: DASHED_VALUES,
  builder: (line: Argv<object>) =>
    describeFiles(line)
      .option("tag", { alias: "t", type: "string", nargs: 1, describe: "Name of the image, as name:tag" })
      .option("port", {
        alias: "p",
        type: "string",
        nargs: 1,
        describe: "Port in the image [INTEGER, 8001 unless given]",
      })
      .options(sharedOptions)
      .example("$0 package data.db -t data", "Build an image called data"),
  handler: async (values: Values) => {
    const port = integerOf(values, { name: "port", shown: "'-p' / '--port'", least: 1, most: 65535 }) ?? 8001;
    const tag = valueOf(values, "tag");
    const bundle = bundleOf(await readSiteOptions(values), version).with({ port });
    const docker = toolNamed("docker", MISSING);
    await bundle.inFolder((folder) => docker.run(["build", ...(tag === null ? [] : ["--tag", tag]), folder]));
    process.stdout.write(howToRun(bundle, { port, image: shellLine([tag ?? "IMAGE"]) }));
  },
});

/** The command that runs the image. It shows a new secret, but not one that was given. */
function howToRun(
  { secrets, secretIsNew }: Bundle,
  { port, image }: { readonly port: number; readonly image: string },
): string {
  const secret = secretIsNew ? `ROWHOUSE_SECRET=${secrets["ROWHOUSE_SECRET"]}` : "ROWHOUSE_SECRET";
  const why = secretIsNew
    ? "The secret that signs cookies and tokens is not in the image, and is shown only once:"
    : "The secret that signs cookies and tokens is not in the image; with it in ROWHOUSE_SECRET:";
  return `${why}\n  docker run -p ${port}:${port} -e ${secret} ${image}\n`;
}
