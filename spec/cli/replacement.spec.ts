import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { PluginInput } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { StartupError, type Plugin } from "rowhouse/plugin-api";
import { findPlugins } from "../../cli/plugins/find-plugins.js";
import { readGroups, type Case } from "../conformance/cases.js";
import { exceptions } from "../conformance/exceptions.js";
import { serveInside } from "../conformance/inside.js";
import { profile, removeFolders } from "../conformance/profiles.js";
import { replay, type Servers } from "../conformance/replay.js";
import { describeFailure } from "../conformance/report.js";
import type { Server } from "../conformance/servers.js";
import { served, type Probe } from "./replacement/served.js";

/** The recorded cases that are replayed of each group, spread evenly; `all` takes a quarter of an hour. */
const CASES_OF_GROUP = process.env["ROWHOUSE_REPLACED_CASES"] ?? "12";
/** Of groups that change data: each case needs a server of its own. */
const FRESH_CASES_OF_GROUP = CASES_OF_GROUP === "all" ? Infinity : 2;

// The command is needed for profiles with flags; one started for each plugin would take minutes.
const cases = readGroups()
  .flatMap((group) => group.cases)
  .filter(({ name, server }) => profile(server).flags === undefined && !exceptions.has(name));

describe("A bundled plugin that is switched off, with a copy of it installed under another name:", function () {
  this.timeout(CASES_OF_GROUP === "all" ? 0 : 300_000);
  after(removeFolders);

  it("every bundled plugin is listed with what it serves", () => {
    expect(Object.keys(served).toSorted()).to.deep.equal(bundledPlugins.map(({ name }) => name).toSorted());
  });

  for (const original of bundledPlugins) {
    const serves = served[original.name];
    if (typeof serves === "function")
      it(`${original.name} does its work, which nothing does without it`, () => probed(original, serves));
    else if (serves !== undefined)
      it(`${original.name} serves ${serves.join(", ")}, and without it they fail`, () =>
        replayed(original, serves));
  }
});

async function probed(original: Plugin, probe: Probe): Promise<void> {
  const [copy] = (await installed(original)).plugins;

  expect(await probe(null).catch(ofRefusedStart), "without the plugin").to.equal(false);
  expect(await probe(copy?.plugin ?? null), "with its replacement").to.equal(true);
}

const ofRefusedStart = (error: unknown): boolean => {
  if (error instanceof StartupError) return false;
  throw error;
};

async function replayed(original: Plugin, groups: readonly string[]): Promise<void> {
  const { plugins } = await installed(original);
  const switchedOff = [original];
  const own = cases.filter(({ group }) => groups.includes(group));

  const witness = await firstFailure(own, { plugins: plugins.slice(1), switchedOff });
  expect(witness, "a case that fails without the plugin").not.to.equal(null);

  const servers = new Pool({ plugins, switchedOff });
  try {
    for (const one of new Set([...(witness === null ? [] : [witness]), ...groups.flatMap(sampleOf)])) {
      const failure = await replay(one, servers);
      if (failure !== null) throw new Error(describeFailure(one, failure));
    }
  } finally {
    await servers.close();
  }
}

/** The first case that does not go as recorded, or for which the server does not start. */
async function firstFailure(own: readonly Case[], loading: Loading): Promise<Case | null> {
  const servers = new Pool(loading);
  try {
    for (const one of own) {
      const works = await replay(one, servers).then(
        (failure) => failure === null,
        () => false,
      );
      if (!works) return one;
    }
    return null;
  } finally {
    await servers.close();
  }
}

function sampleOf(group: string): readonly Case[] {
  const ofGroup = cases.filter((one) => one.group === group);
  const count = CASES_OF_GROUP === "all" ? Infinity : Number(CASES_OF_GROUP);
  return [
    ...spread(
      ofGroup.filter(({ fresh }) => !fresh),
      count,
    ),
    ...spread(
      ofGroup.filter(({ fresh }) => fresh),
      FRESH_CASES_OF_GROUP,
    ),
  ];
}

const spread = (all: readonly Case[], count: number): readonly Case[] => {
  const step = Math.max(1, Math.ceil(all.length / count));
  return all.filter((_one, index) => index % step === 0);
};

/** What is loaded if the plugin is switched off and a folder of plugins holds a copy of it, which comes first. */
async function installed(original: Plugin): Promise<{ readonly plugins: readonly PluginInput[] }> {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-replacement-"));
  try {
    await writeFile(join(folder, `${original.name}.mjs`), moduleOf(original.name));
    const choices = { plugins: [{ name: original.name, load: false, folder }], pluginsDir: folder };
    const found = await findPlugins(bundledPlugins, choices, folder);
    expect(found.switchedOff).to.deep.equal([original]);
    expect([...found.files.keys()]).to.deep.equal([`replacement-of-${original.name}`]);
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The module of a copy. It is guarded, as plugins are that do not declare otherwise. */
const moduleOf = (name: string): string => `
import { bundledPlugins } from ${JSON.stringify(import.meta.resolve("rowhouse/plugins"))};
const { unguarded, ...plugin } = bundledPlugins.find(({ name }) => name === ${JSON.stringify(name)});
export default { ...plugin, name: "replacement-of-${name}" };
`;

interface Loading {
  readonly plugins: readonly PluginInput[];
  readonly switchedOff: readonly Plugin[];
}

/** One server for each profile; cases that change data get one of their own, which they stop. */
class Pool implements Servers {
  readonly #servers = new Map<string, Promise<Server>>();

  constructor(readonly loading: Loading) {}

  shared(name: string): Promise<Server> {
    const server = this.#servers.get(name) ?? this.fresh(name);
    this.#servers.set(name, server);
    return server;
  }

  fresh(name: string): Promise<Server> {
    return serveInside(name, this.loading);
  }

  async close(): Promise<void> {
    const started = await Promise.allSettled(this.#servers.values());
    await Promise.all(started.map((one) => (one.status === "fulfilled" ? one.value.stop() : null)));
  }
}
