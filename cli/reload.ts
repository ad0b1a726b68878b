import { spawn, type ChildProcess } from "node:child_process";
import { statSync, watch } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { consoleLog } from "./console-log.js";
import type { Resolved } from "./resolve.js";

const MARK = "ROWHOUSE_SUPERVISED";
const QUIET_MS = 150;

/** Is this the process that serves, started by one that watches? */
export const isSupervised = (): boolean => process.env[MARK] === "1";

/** Serves in a child process, which is started again whenever something it was made from changes. */
export async function superviseReloads(resolved: Resolved): Promise<void> {
  let child = startChild();
  let restarting: Promise<void> | null = null;
  const restart = async (): Promise<void> => {
    consoleLog.info("Something changed: starting again");
    await ended(child, "SIGTERM");
    child = startChild();
    restarting = null;
  };
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (restarting ??= restart()), QUIET_MS);
  };
  const watchers = watchedPaths(resolved).map((path) => watchPath(path, changed));
  const signal = await new Promise<NodeJS.Signals>((done) => {
    process.once("SIGINT", () => done("SIGINT"));
    process.once("SIGTERM", () => done("SIGTERM"));
  });
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await restarting;
  await ended(child, signal);
}

const startChild = (): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, [MARK]: "1" },
  });

/** A child that gave up on a mistake has ended already; the next change may mend it. */
async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  await gone;
}

function watchedPaths({ choices, configFile }: Resolved): readonly string[] {
  const { metadata, pluginsDir, templateDir, inspectFile, immutable, plugins, static: mounts } = choices;
  const files = (plugins ?? []).filter(({ name }) => name.startsWith(".") || isAbsolute(name));
  return [
    configFile,
    metadata !== undefined && "path" in metadata ? metadata.path : null,
    pluginsDir,
    templateDir,
    inspectFile,
    ...(mounts ?? []).map(({ folder }) => folder),
    ...(immutable ?? []).map(({ path }) => path),
    ...files.map(({ name, folder }) => resolve(folder, name)),
  ].filter((path) => typeof path === "string");
}

/** A file is watched by way of its folder: editors put a new file in its place. */
function watchPath(path: string, changed: () => void) {
  if (statSync(path).isDirectory()) return watch(path, { recursive: true }, changed);
  return watch(dirname(path), (_event, name) => {
    if (name === basename(path)) changed();
  });
}
