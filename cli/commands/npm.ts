import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { StartupError, isObject } from "rowhouse/plugin-api";
import { consoleLog } from "../log/console-log.js";
import { foldersUp, manifestIn, nearestManifest, type Manifest } from "../plugins/packages.js";

/** The project whose dependencies are the plugins. */
export interface Project {
  readonly folder: string;
  /** True if its manifest depends on Rowhouse, or is that of Rowhouse. */
  readonly hasRowhouse: boolean;
}

/**
 * The nearest project above a folder that depends on Rowhouse, otherwise the nearest one; null if there is none.
 */
export function projectAround(folder: string): Project | null {
  const depending = foldersUp(folder).find((one) => dependsOnRowhouse(manifestIn(one)));
  if (depending !== undefined) return { folder: depending, hasRowhouse: true };
  const nearest = nearestManifest(folder);
  return nearest === null ? null : { folder: nearest.folder, hasRowhouse: false };
}

/** Creates a project in a folder. */
export function startProject(folder: string): Project {
  writeFileSync(join(folder, "package.json"), '{\n  "private": true\n}\n');
  consoleLog.info(`Made ${join(folder, "package.json")}, which will name your plugins`);
  return { folder, hasRowhouse: false };
}

function dependsOnRowhouse(manifest: Manifest | null): boolean {
  if (manifest === null) return false;
  const blocks = ["dependencies", "devDependencies"].map((key) => manifest.content[key]);
  const names = blocks.flatMap((block) => (isObject(block) ? Object.keys(block) : []));
  return names.includes("rowhouse") || manifest.content["name"] === "rowhouse";
}

/** Plugins import `rowhouse/plugin-api`. A project without Rowhouse gets a link to the running one. */
export const runningRowhouse = (): string =>
  `rowhouse@file:${dirname(fileURLToPath(import.meta.resolve("rowhouse/package.json")))}`;

/**
 * Runs npm in a project without a shell. Its output is passed through, and its exit code is that of the command.
 *
 * @param packages passed after `--`, so that npm reads none of them as an option
 * @returns true if npm succeeded
 */
export async function runNpm(
  command: "install" | "uninstall",
  packages: readonly string[],
  { folder }: Project,
): Promise<boolean> {
  const words = [command, "--", ...packages];
  consoleLog.info(`npm ${words.join(" ")} (in ${folder})`);
  const child = spawn("npm", words, { stdio: "inherit", cwd: folder });
  const code = await new Promise<number>((done, failed) => {
    child.once("error", () => failed(new StartupError("npm could not be run: is it installed?")));
    child.once("exit", (exitCode) => done(exitCode ?? 1));
  });
  process.exitCode = code;
  return code === 0;
}

const isPath = (wish: string): boolean =>
  /^(\.{0,2}\/|\.{1,2}$)|\.(tgz|tar\.gz)$/.test(wish) && !/^[a-z+]+:/.test(wish);

/**
 * The argument for npm: paths of tarballs and folders relative to the current folder, other words unchanged.
 *
 * @throws StartupError (exit code 2) for a path that does not exist
 */
export function npmArgument(wish: string, folder: string): string {
  if (!isPath(wish)) return wish;
  const path = resolve(folder, wish);
  if (existsSync(path)) return path;
  throw new StartupError(`Invalid value for 'PACKAGES...': Path '${wish}' does not exist.`, 2);
}

/** The same package in the newest version. A given version, tag or path is kept. */
export const newest = (wish: string): string =>
  isPath(wish) || /(?<=.)@|:/.test(wish) ? wish : `${wish}@latest`;

/** A dependency as the manifest of a project lists it. */
interface Dependency {
  readonly name: string;
  readonly range: string;
  /** The path of a tarball or folder; null for a package of the registry. */
  readonly file: string | null;
}

/** The dependencies of a project, without those for development. */
export function dependenciesOf({ folder }: Project): readonly Dependency[] {
  const listed = manifestIn(folder)?.content["dependencies"];
  return Object.entries(isObject(listed) ? listed : {}).map(([name, value]) => {
    const range = String(value);
    const path = /^file:(.*)$/.exec(range)?.[1];
    return { name, range, file: path === undefined ? null : resolve(folder, path) };
  });
}

/** The name of the installed package in the project; null if it cannot be determined. */
export function nameOf(wish: string, project: Project): string | null {
  const plain = wish.replace(/(?<=.)@.*$/, "");
  const found = dependenciesOf(project).find(
    ({ name, range, file }) => name === plain || file === wish || range === wish,
  );
  return found?.name ?? null;
}
