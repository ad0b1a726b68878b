import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "rowhouse/plugin-api";
import type { Bundle, Publish, PublishTarget, Tool } from "rowhouse/plugin-api/contracts";
import { inTemporaryFolder } from "./bundle.js";
import { integerOf, isGiven, refuseValue, valueOf, valuesOf, type Values } from "./options.js";

const MISSING =
  "Publishing to Google Cloud requires gcloud to be installed and configured\n" +
  "Follow the instructions at https://cloud.google.com/sdk/docs/install";

const NEW_SECRET =
  "No secret was given, so there is a new one: tokens and cookies of an earlier publication end " +
  "(--secret or ROWHOUSE_PUBLISH_SECRET keeps them)";

const text = (describe: string, alias?: string) =>
  ({ describe, type: "string", nargs: 1, ...(alias !== undefined && { alias }) }) as const;

/** `rowhouse publish cloudrun`: builds with Cloud Build and serves with Cloud Run. */
export const cloudRun = (publish: Publish): PublishTarget => ({
  name: "cloudrun",
  describe: "Google Cloud Run",
  options: {
    name: text("Name of the image, rowhouse unless given", "n"),
    service: text("Name of the service; created if it does not exist"),
    "show-files": { describe: "Print the generated files as well", type: "boolean" },
    memory: text("Memory of an instance [like 1Gi]"),
    cpu: text("CPUs of an instance [1, 2, 4]"),
    timeout: text("Time limit of the build in seconds"),
    "apt-get-install": { ...text("Debian package for the image"), array: true },
    "max-instances": text("Maximum number of instances"),
    "min-instances": text("Minimum number of instances"),
  },
  handler: async (bundle: Bundle, values: Values) => {
    const order = readOrder(values);
    const site = bundle.with({
      settings: { force_https_urls: "on" },
      aptPackages: order.aptPackages,
    });
    const gcloud = publish.tool("gcloud", MISSING);
    if (isGiven(values, "show-files")) process.stdout.write(shown(site));
    if (site.secretIsNew) process.stderr.write(`${NEW_SECRET}\n`);
    const project = (await gcloud.read(["config", "get-value", "project"])).trim();
    if (project === "") throw new StartupError("gcloud has no project: gcloud config set project NAME");
    const image = `gcr.io/${project}/${order.name}`;
    await site.inFolder((folder) =>
      gcloud.run(["builds", "submit", "--tag", image, ...order.building, folder]),
    );
    await deploy(gcloud, site, [order.service, "--image", image, ...order.running]);
  },
});

/** The environment is passed in a file that only its owner can read: other users can read arguments. */
const deploy = (gcloud: Tool, { secrets }: Bundle, words: readonly string[]): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const file = join(folder, "environment.yaml");
    // JSON is YAML.
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
    const common = ["--allow-unauthenticated", "--platform", "managed", "--env-vars-file", file];
    await gcloud.run(["run", "deploy", ...words, ...common]);
  });

function readOrder(values: Values) {
  const [service, memory, cpu] = ["service", "memory", "cpu"].map((name) => valueOf(values, name));
  if (service === null || service === undefined) throw new StartupError("Missing option '--service'.", 2);
  if (!/^[a-z][a-z0-9-]*$/.test(service))
    refuseValue("'--service'", "should be small letters, digits and hyphens, beginning with a letter");
  const name = valueOf(values, "name") ?? "rowhouse";
  if (!/^[a-z0-9][a-z0-9._/-]*$/.test(name))
    refuseValue("'-n' / '--name'", "should be small letters, digits, dots, hyphens, underscores and slashes");
  if (memory && !/^\d+(Gi|G|Mi|M)$/.test(memory))
    refuseValue("'--memory'", "--memory should be a number then Gi/G/Mi/M e.g 1Gi");
  if (cpu && !["1", "2", "4"].includes(cpu)) refuseValue("'--cpu'", `'${cpu}' is not one of '1', '2', '4'.`);
  const number = (option: string, least: number): readonly string[] => {
    const given = integerOf(values, { name: option, least });
    return given === null ? [] : [`--${option}`, String(given)];
  };
  return {
    service,
    name,
    aptPackages: valuesOf(values, "apt-get-install").map(aptPackage),
    building: number("timeout", 1),
    running: [
      ...(memory ? ["--memory", memory] : []),
      ...(cpu ? ["--cpu", cpu] : []),
      ...number("max-instances", 1),
      ...number("min-instances", 0),
    ],
  };
}

const aptPackage = (name: string): string =>
  /^[a-z0-9][a-z0-9+.:=~-]*$/i.test(name)
    ? name
    : refuseValue("'--apt-get-install'", `${name} is no package`);

const shown = ({ generated }: Bundle): string =>
  Object.entries(generated)
    .map(([path, content]) => `=== ${path} ===\n\n${content}\n`)
    .join("");
