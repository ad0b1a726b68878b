import type { Argv } from "yargs";
import type { Bundle, Command, Rowhouse } from "rowhouse/plugin-api";
import { bundleOf } from "./bundle.js";
import { DASHED_VALUES, describeFiles, sharedOptions } from "./shared-options.js";
import { shellLine } from "./shell-line.js";
import { toolNamed } from "./tool.js";
import { integerOf, valueOf, type Values } from "./values.js";
import { readWishes } from "./read-options.js";

const MISSING = 'The package command requires "docker" to be installed and configured';

/** `rowhouse package`: a container image of databases and what belongs to them. */
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
    const bundle = bundleOf(await readWishes(values), version).with({ port });
    const docker = toolNamed("docker", MISSING);
    await bundle.inFolder((folder) => docker.run(["build", ...(tag === null ? [] : ["--tag", tag]), folder]));
    process.stdout.write(howToRun(bundle, { port, image: shellLine([tag ?? "IMAGE"]) }));
  },
});

/** The secret is not in the image. One that was given is not repeated; a new one is told here and never again. */
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
