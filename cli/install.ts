import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { StartupError, type Command } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { isBlock } from "./choices.js";
import { findConfigFile } from "./config-file.js";
import { consoleLog } from "./console-log.js";
import { readText } from "./metadata-file.js";
import { foldersUp, installedPackage, isPluginPackage, manifestIn } from "./packages.js";

/** `rowhouse install`: adds plugins with npm to the project that will run them. */
export const installCommand: Command = {
  command: "install [packages..]",
  describe: "Install plugins with npm",
  builder: (line) =>
    line
      .positional("packages", { type: "string", array: true, describe: "Names of packages" })
      .option("upgrade", { alias: "U", type: "boolean", describe: "Take the newest version" })
      .option("editable", { alias: "e", type: "string", nargs: 1, describe: "Link this folder [PATH]" })
      .option("requirement", {
        alias: "r",
        type: "string",
        nargs: 1,
        describe: "Names from this file [FILE]",
      })
      .example("$0 install rowhouse-plugin-edit-schema", "Add a plugin")
      .example("$0 install -e ./my-plugin", "Try a plugin you are writing"),
  handler: install,
};

/** `rowhouse uninstall`: the way back. */
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
  const listed = last(parsed["requirement"]);
  const names = [...packageArguments(parsed), ...(listed === undefined ? [] : namesIn(listed))];
  const editable = last(parsed["editable"]);
  if (names.length === 0 && editable === undefined) throw missingPackages();
  const wanted = parsed["upgrade"] === true ? names.map((name) => `${name}@latest`) : names;
  const linked = editable === undefined ? [] : [resolve(editable)];
  const target = installTarget(process.cwd());
  const done = await npm(["install", ...wanted, ...linked], target);
  if (done) await adviseAfterInstall(names, target);
}

async function uninstall(parsed: Parsed): Promise<void> {
  const names = packageArguments(parsed);
  if (names.length === 0) throw missingPackages();
  if (parsed["yes"] !== true && !(await agreed(names))) return;
  await npm(["uninstall", ...names], installTarget(process.cwd()));
}

const last = (value: unknown): string | undefined => {
  const one = [value].flat().at(-1);
  return typeof one === "string" ? one : undefined;
};

const missingPackages = (): StartupError => new StartupError("Missing argument 'PACKAGES...'.", 2);

/** @throws StartupError for a name that npm would take for an option */
function packageArguments(parsed: Parsed): readonly string[] {
  const names = [parsed["packages"] ?? [], parsed["--"] ?? []].flat().map(String);
  const odd = names.find((name) => name.startsWith("-"));
  if (odd === undefined) return names;
  throw new StartupError(`Invalid value for 'PACKAGES...': ${odd} is not a package`, 2);
}

const namesIn = (file: string): readonly string[] =>
  readText(file)
    .split("\n")
    .map((line) => line.replace(/#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("-"));

/** Where npm works: the project that depends on Rowhouse, else the global packages. */
interface Target {
  readonly folder: string | null;
}

function installTarget(folder: string): Target {
  return { folder: foldersUp(folder).find(dependsOnRowhouse) ?? null };
}

function dependsOnRowhouse(folder: string): boolean {
  const content = manifestIn(folder)?.content ?? {};
  return ["dependencies", "devDependencies"].some((key) => {
    const block = content[key];
    return isBlock(block) && Object.hasOwn(block, "rowhouse");
  });
}

/** Runs npm without a shell and passes its output and exit code on. */
async function npm(words: readonly string[], { folder }: Target): Promise<boolean> {
  const all = folder === null ? [words[0] ?? "", "--global", ...words.slice(1)] : words;
  consoleLog.info(`npm ${all.join(" ")} (in ${folder ?? "the global packages"})`);
  const child = spawn("npm", all, { stdio: "inherit", ...(folder !== null && { cwd: folder }) });
  const code = await new Promise<number>((done, failed) => {
    child.once("error", () => failed(new StartupError("npm could not be run: is it installed?")));
    child.once("exit", (exitCode) => done(exitCode ?? 1));
  });
  process.exitCode = code;
  return code === 0;
}

async function adviseAfterInstall(names: readonly string[], { folder }: Target): Promise<void> {
  if (folder === null) return;
  for (const name of names.map(withoutVersion)) {
    const manifest = installedPackage(name, folder);
    if (manifest !== null && !isPluginPackage(name, manifest)) {
      consoleLog.warn(`${name} does not say that it is a Rowhouse plugin (keyword rowhouse-plugin)`);
    }
  }
  const config = await findConfigFile(folder, undefined);
  const listed = isBlock(config?.content) ? config.content["plugins"] : undefined;
  if (listed !== undefined) consoleLog.info(`Add to "plugins" in ${config?.path}: ${names.join(", ")}`);
}

const withoutVersion = (name: string): string => name.replace(/(?<=.)@.*$/, "");

/** @throws StartupError when nobody is there to ask */
async function agreed(names: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartupError("Give --yes to uninstall without being asked");
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`Uninstall ${names.join(", ")}. Proceed (Y/n)? `);
  asking.close();
  return !/^n/i.test(answer.trim());
}
