import { createInterface } from "node:readline/promises";
import { StartupError, isObject, type Command } from "rowhouse/plugin-api";
import { tappedHooks } from "rowhouse/plugin-api/kernel";
import { lastValue, type Parsed } from "../arguments/arguments.js";
import { findConfigFile } from "../configuration/find-config-file.js";
import { consoleLog } from "../log/console-log.js";
import {
  dependenciesOf,
  nameOf,
  newest,
  npmArgument,
  projectAround,
  runningRowhouse,
  runNpm,
  startProject,
  type Project,
} from "./npm.js";
import { onCommandLine } from "../arguments/options.js";
import { isBareRepository, namesInFile } from "../plugins/package-names.js";
import {
  directDependencies,
  installedPackage,
  isPluginPackage,
  manifestIn,
  pluginOfPackage,
} from "../plugins/packages.js";
import { importPlugin } from "../plugins/plugin-module.js";
import { existingDirectory } from "../arguments/readers.js";

/** `rowhouse install`: adds plugins to the project with npm. */
export const installCommand: Command = {
  command: "install [packages..]",
  describe: "Install plugins with npm",
  builder: (line) =>
    line
      .positional("packages", { type: "string", array: true, describe: "Names, tarballs or folders" })
      .option("upgrade", { alias: "U", type: "boolean", describe: "Take the newest version" })
      .option("editable", { alias: "e", type: "string", nargs: 1, describe: "Link this folder [PATH]" })
      .option("requirement", {
        alias: "r",
        type: "string",
        nargs: 1,
        describe: "Names from this file [FILE]",
      })
      .example("$0 install rowhouse-plugin-edit-schema", "Add a plugin")
      .example("$0 install ./rowhouse-plugin-mine-1.0.0.tgz", "Add one from a file")
      .example("$0 install -e ./my-plugin", "Try a plugin you are writing"),
  handler: install,
};

/** `rowhouse uninstall`: removes plugins from the project. */
export const uninstallCommand: Command = {
  command: "uninstall [packages..]",
  describe: "Uninstall plugins with npm",
  builder: (line) =>
    line
      .positional("packages", { type: "string", array: true, describe: "Names of packages" })
      .option("yes", { alias: "y", type: "boolean", describe: "Do not ask" }),
  handler: uninstall,
};

async function install(parsed: Parsed): Promise<void> {
  const folder = process.cwd();
  const listed = lastText(parsed["requirement"]);
  const editable = lastText(parsed["editable"]);
  const requirement = onCommandLine({ name: "requirement", short: "r" }, folder);
  const names = [
    ...packageArguments(parsed),
    ...(listed === undefined ? [] : namesInFile(listed, requirement)),
  ];
  if (names.length === 0 && editable === undefined) throw missingPackages();
  const asked = parsed["upgrade"] === true ? names.map(newest) : names;
  const linked = editable === undefined ? [] : [linkedFolder(editable, folder)];
  const packages = [...asked.map((name) => npmArgument(name, folder)), ...linked];
  const project = projectAround(folder) ?? startProject(folder);
  const before = installedFrom(project);
  // Installed separately: npm fails if it installs a plugin together with the linked peer.
  if (!project.hasRowhouse && !(await runNpm("install", [runningRowhouse()], project))) return;
  if (!(await runNpm("install", packages, project))) return adviseOnDatasette(names);
  for (const one of packages) await reportInstalled(one, project, before);
}

/** Plugins of Datasette are packages of Python, of which npm says only that it has none of this name. */
function adviseOnDatasette(names: readonly string[]): void {
  const named = names.find((name) => name.startsWith("datasette-"));
  if (named !== undefined)
    consoleLog.info(
      `${named} is a plugin of Datasette, which is written in Python and can't run here. Plugins of Rowhouse are found with: npm search rowhouse-plugin`,
    );
}

/** The dependencies of a project by name, each as `install` takes it: `rowhouse-plugin-count@1.0.0`, or a file. */
const installedFrom = (project: Project): ReadonlyMap<string, string> =>
  new Map(
    dependenciesOf(project).map(({ name, range, file }) => {
      const version = installedPackage(name, project.folder)?.content["version"];
      return [name, file ?? `${name}@${String(version ?? range)}`];
    }),
  );

async function uninstall(parsed: Parsed): Promise<void> {
  const names = packageArguments(parsed);
  if (names.length === 0) throw missingPackages();
  const project = projectAround(process.cwd());
  const manifest = project === null ? null : manifestIn(project.folder);
  const installed = manifest === null ? [] : directDependencies(manifest);
  const missing = names.find((name) => !installed.includes(name));
  if (project === null || missing !== undefined)
    throw new StartupError(`${missing ?? names[0]} is not installed in ${project?.folder ?? process.cwd()}`);
  if (parsed["yes"] !== true && !(await agreed(names))) return;
  await runNpm("uninstall", names, project);
}

function lastText(value: unknown): string | undefined {
  const last = lastValue(value);
  return typeof last === "string" ? last : undefined;
}

const missingPackages = (): StartupError => new StartupError("Missing argument 'PACKAGES...'.", 2);

function refusePackage(reason: string): never {
  throw new StartupError(`Invalid value for 'PACKAGES...': ${reason}`, 2);
}

/**
 * @throws StartupError (exit code 2) for a word that npm would read as an option or as a repository of GitHub
 */
function packageArguments(parsed: Parsed): readonly string[] {
  const names = [parsed["packages"] ?? []].flat().map(String);
  for (const name of names) {
    if (name === "" || name.startsWith("-")) refusePackage(`${name} is not a package`);
    if (isBareRepository(name))
      refusePackage(
        `${name} is not a package name: write ./${name} for a folder, github:${name} for a repository`,
      );
  }
  return names;
}

/**
 * The folder of a linked package, as an argument for npm.
 *
 * @throws StartupError (exit code 2) for anything else
 */
function linkedFolder(written: string, folder: string): string {
  const place = onCommandLine({ name: "editable", short: "e" }, folder);
  const path = existingDirectory(written, place);
  return manifestIn(path) === null ? place.refuse(`Directory '${written}' has no package.json.`) : path;
}

/**
 * Reports the installed plugin, and the next step if there is one.
 *
 * @throws StartupError for a plugin that cannot be loaded, with the command that removes it
 */
async function reportInstalled(
  wish: string,
  project: Project,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const name = nameOf(wish, project);
  const manifest = name === null ? null : installedPackage(name, project.folder);
  if (name === null || manifest === null) return;
  if (!isPluginPackage(name, manifest)) {
    return consoleLog.warn(`${name} does not say that it is a Rowhouse plugin (keyword rowhouse-plugin)`);
  }
  const file = pluginOfPackage(manifest, name);
  const plugin = await importPlugin(file).catch((error: Error) => {
    throw new StartupError(`${error.message}${wayBack(name, before.get(name), project)}`);
  });
  // `setup` runs only with a server: `rowhouse plugins` lists the hooks that it returns.
  const hooks = [...tappedHooks(plugin), ...(plugin.setup === undefined ? [] : ["hooks of its setup"])];
  consoleLog.info(`Installed ${name} ${file.version ?? ""}: ${hooks.join(", ") || "no hooks"}`);
  await adviseOnList(name, project);
}

/** Without a plugin that restricts access, data could become public: after an upgrade, the version before comes first. */
function wayBack(name: string, before: string | undefined, project: Project): string {
  const isUpgrade = before !== undefined && before !== installedFrom(project).get(name);
  const back = isUpgrade ? `\nTo go back: rowhouse install ${before}` : "";
  return `${back}\nTo take it out again: rowhouse uninstall ${name}`;
}

/** A configuration file with a list of plugins is never edited. */
async function adviseOnList(name: string, { folder }: Project): Promise<void> {
  const config = await findConfigFile(folder, undefined);
  const content = isObject(config?.content) ? config.content : {};
  const { plugins, autoload } = content;
  const isListed = Array.isArray(plugins) ? plugins.includes(name) : isObject(plugins) && name in plugins;
  if ((autoload === false || Array.isArray(plugins)) && !isListed)
    consoleLog.info(`Add it to "plugins" in ${config?.path}: ${name}`);
}

/** @throws StartupError if there is no terminal */
async function agreed(names: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartupError("Give --yes to uninstall without a confirmation");
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`Uninstall ${names.join(", ")}. Proceed (Y/n)? `);
  asking.close();
  return !/^n/i.test(answer.trim());
}
