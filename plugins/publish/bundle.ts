import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Bundle, BundleChanges } from "rowhouse/plugin-api/contracts";
import { copiesOf, writeBundle } from "./write-bundle.js";
import { refuseChanged } from "./database-files.js";
import { dockerfile, manifest, inspectWords, serveWords } from "./generated-files.js";
import type { SiteOptions } from "./read-options.js";

const PORT = 8001;

/** The bundle of a site. @param version of Rowhouse, for the published site */
export const bundleOf = (site: SiteOptions, version: string): Bundle => changed({ site, version }, {});

interface Plan {
  readonly site: SiteOptions;
  readonly version: string;
}

function changed(plan: Plan, changes: BundleChanges): Bundle {
  const { site } = plan;
  const inspect = inspectWords(site);
  const serve = serveWords(site, changes.settings ?? {});
  const generated = generatedFiles(plan, changes, { inspect, serve });
  const copies = copiesOf(site);
  const write = async (folder: string): Promise<void> => {
    await writeBundle(folder, { generated, copies });
    site.databases.forEach(refuseChanged);
  };
  return {
    secrets: site.secrets,
    secretIsNew: site.secretIsNew,
    spatialite: site.spatialite,
    inspect,
    serve,
    generated,
    with: (more) => changed(plan, bothChanges(changes, more)),
    write,
    inFolder: (use) =>
      inTemporaryFolder(async (folder) => {
        await write(folder);
        await use(folder);
      }),
  };
}

function generatedFiles(
  { site, version }: Plan,
  { files = {}, aptPackages = [], port = PORT }: BundleChanges,
  commands: Pick<Bundle, "inspect" | "serve">,
): Bundle["generated"] {
  const all: Readonly<Record<string, string | null>> = {
    "package.json": manifest(site, version),
    Dockerfile: dockerfile({ ...commands, port, aptPackages: [...aptPackagesOf(site), ...aptPackages] }),
    "metadata.json": site.metadata && `${JSON.stringify(site.metadata, null, 2)}\n`,
    ...files,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
  );
}

/** Packages that npm fetches with git: `github:me/x`, `git+https://...`, `me/x`. */
const BY_GIT = /^(?:git|github|gitlab|bitbucket|gist)\b|^[\w.-]+\/[\w.-]+(?:#|$)/;

/** The Debian packages that the site needs. */
function aptPackagesOf({ spatialite, rowhouse, packages }: SiteOptions): readonly string[] {
  const sources = [rowhouse ?? "", ...packages.map(({ range }) => range)];
  return [
    ...(spatialite ? ["libsqlite3-mod-spatialite"] : []),
    ...(sources.some((source) => BY_GIT.test(source)) ? ["ca-certificates", "git"] : []),
  ];
}

const bothChanges = (before: BundleChanges, after: BundleChanges): BundleChanges => ({
  ...before,
  ...after,
  settings: { ...before.settings, ...after.settings },
  aptPackages: [...(before.aptPackages ?? []), ...(after.aptPackages ?? [])],
  files: { ...before.files, ...after.files },
});

/**
 * A folder that only its owner can read, removed when `use` has finished or failed. If the process is killed, the
 * next start of Rowhouse removes it: the name says which process it belongs to.
 */
export async function inTemporaryFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `rowhouse-publish-${hostname()}-${process.pid}-`));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
