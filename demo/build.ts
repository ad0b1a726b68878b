import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Kernel } from "rowhouse";
import type { MetadataBlock } from "rowhouse/plugin-api";
import { bundledPlugins } from "rowhouse/plugins";
import { aviation } from "./aviation.js";
import { collectionVersion } from "./data-sets.js";
import { earth } from "./earth.js";
import type { DemoDatabase } from "./fill.js";
import { movies } from "./movies.js";
import { workshop } from "./workshop.js";
import { world } from "./world.js";

/** Increased with each change to the data, so that older files are built again. */
const BUILDER_VERSION = 2;

const demoDatabases: readonly DemoDatabase[] = [movies, aviation, earth, world, workshop];

/** The files of the demonstration. */
export interface Demonstration {
  readonly databases: readonly string[];
  readonly metadata: string;
}

/** Builds the files that are missing or outdated in `folder`. */
export async function buildDemonstration(folder: string): Promise<Demonstration> {
  const demonstration = {
    databases: demoDatabases.map(({ name }) => join(folder, `${name}.db`)),
    metadata: join(folder, "metadata.json"),
  };
  const stamp = JSON.stringify({ builder: BUILDER_VERSION, collection: collectionVersion });
  const stampFile = join(folder, "built.json");
  if (contentOf(stampFile) === stamp) return demonstration;

  mkdirSync(folder, { recursive: true });
  rmSync(stampFile, { force: true });
  const bar = progress(demoDatabases.length);
  for (const [done, database] of demoDatabases.entries()) {
    bar.show(done, `building ${database.name}.db`);
    await buildDatabase(database, folder);
  }
  bar.end();
  writeFileSync(demonstration.metadata, JSON.stringify(siteMetadata(), null, 2));
  // Written last, so that an interrupted build starts again.
  writeFileSync(stampFile, stamp);
  return demonstration;
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** Written under another name until it is complete, so that existing files are always complete. */
async function buildDatabase({ name, build }: DemoDatabase, folder: string): Promise<void> {
  const unfinished = join(folder, `.${name}.unfinished`);
  removeDatabase(unfinished);
  const kernel = await Kernel.open({
    plugins: bundledPlugins.map((plugin) => ({ plugin })),
    databases: [{ uri: `file:${unfinished}`, name, mutable: true, create: true }],
    secrets: ["not used: nothing is signed"],
  });
  try {
    const database = kernel.database(name);
    await database.write(build);
    await database.write((transaction) => transaction.run("analyze"));
  } finally {
    await kernel.close();
  }
  removeDatabase(join(folder, `${name}.db`));
  renameSync(unfinished, join(folder, `${name}.db`));
}

const removeDatabase = (path: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
};

function siteMetadata(): MetadataBlock {
  return {
    title: "Rowhouse demonstration",
    description: "Films, flights, earthquakes, countries and a workshop for trying things out.",
    about: "Vega example data sets",
    about_url: "https://github.com/vega/vega-datasets",
    databases: Object.fromEntries(demoDatabases.map(({ name, metadata }) => [name, metadata])),
  };
}

const WIDTH = 30;

/** Shows progress: a bar on a terminal, otherwise one line for each step. */
function progress(total: number) {
  const isTerminal = process.stderr.isTTY === true;
  return {
    /** @param done the number of finished steps @param step the current step */
    show(done: number, step: string): void {
      const filled = Math.round((WIDTH * done) / total);
      const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
      process.stderr.write(isTerminal ? `\r\u001b[K${bar} ${step}` : `${done}/${total} ${step}\n`);
    },
    end(): void {
      if (isTerminal) process.stderr.write("\r\u001b[K");
    },
  };
}
