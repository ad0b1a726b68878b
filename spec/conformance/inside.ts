import { Agent } from "node:http";
import { rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { Kernel, listen, type KernelOptions } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import type { SettingValue } from "rowhouse/plugin-api";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import { metadataOf, profile, profileFolder, SECRET, settingsOf } from "./profiles.js";
import type { Server } from "./servers.js";

/** Which plugins a server is made of, where they are not the bundled ones. */
export type Loading = Partial<Pick<KernelOptions, "plugins" | "switchedOff">>;

/**
 * A server of a profile inside this process, on fresh copies of its files: what hundreds of cases need that
 * change data, and quicker to start than a command.
 *
 * @throws Error for a profile with flags, which only the command knows
 */
export async function serveInside(
  name: string,
  { place = atFile, ...loading }: Loading & { readonly place?: Place } = {},
): Promise<Server> {
  if (profile(name).flags !== undefined) throw new Error(`Profile ${name} has flags: start the command`);
  const folder = await profileFolder(name);
  const lines: string[] = [];
  const note = (message: string, cause?: unknown): void =>
    void lines.push(cause instanceof Error ? `${message} ${cause.stack}` : message);
  const metadata = metadataOf(name);
  const kernel = await Kernel.open({
    plugins: bundledPlugins.map((plugin) => ({ plugin })),
    ...loading,
    databases: await locations(name, folder, place),
    settings: Object.fromEntries(
      Object.entries(settingsOf(name)).map(([setting, value]) => [setting, settingValue(value)]),
    ),
    secrets: [SECRET],
    options: {
      // The recorded lists of installed plugins are empty.
      installedPlugins: [],
      ...(metadata !== null && { metadata: { document: metadata, source: "metadata.json" } }),
    },
    log: { info: note, warn: note, error: note },
  });
  const server = await listen(kernel, { host: "127.0.0.1", port: 0 });
  // A busy process may close an idle connection while the next request is sent on it.
  const agent = new Agent({ keepAlive: false });
  return {
    profile: name,
    port: server.port,
    agent,
    running: () => true,
    log: () => lines.join("\n"),
    stop: async () => {
      agent.destroy();
      await server.close(0);
      await kernel.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The address of a profile's database: by default that of its file. */
export type Place = (file: string, folder: string) => Promise<string>;

const atFile: Place = async (file, folder) => `file:${join(folder, file)}`;

async function locations(name: string, folder: string, place: Place): Promise<DatabaseLocation[]> {
  const { files, immutable = [] } = profile(name);
  const all = [
    ...files.map((file) => ({ file, mutable: true })),
    ...immutable.map((file) => ({ file, mutable: false })),
  ];
  return Promise.all(
    all.map(async ({ file, mutable }) => ({
      uri: await place(file, folder),
      name: basename(file, extname(file)),
      mutable,
      shownPath: file,
    })),
  );
}

const settingValue = (value: string | number): SettingValue =>
  value === "on" || value === "off" ? value === "on" : value;
