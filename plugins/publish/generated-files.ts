import type { Bundle } from "rowhouse/plugin-api/contracts";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SiteOptions } from "./read-options.js";
import { staticFolder } from "./write-bundle.js";

/** The parts of an image besides the files. */
interface Image extends Pick<Bundle, "inspect" | "serve"> {
  readonly port: number;
  readonly aptPackages: readonly string[];
}

/** The plugins were loaded with this version, so it can run the site. A fixed one would get no security fixes one day. */
const NODE_MAJOR = process.versions.node.split(".")[0];
const ROWHOUSE = "node_modules/.bin/rowhouse";
// The shell expands $PORT. All other arguments are passed unchanged.
const START = `exec ${ROWHOUSE} serve --port "$PORT" "$@"`;

/** The `Dockerfile` of a bundle. Secrets are passed in the environment of the container. */
export const dockerfile = ({ inspect, serve, port, aptPackages }: Image): string =>
  [
    `FROM node:${NODE_MAJOR}-slim`,
    "WORKDIR /app",
    ...aptLines(aptPackages),
    "COPY . ./",
    "RUN npm install --omit=dev --no-audit --no-fund",
    ...(inspect === null ? [] : [`RUN ${JSON.stringify([ROWHOUSE, "inspect", ...inspect])}`]),
    "USER node",
    `ENV NODE_ENV=production PORT=${port}`,
    `EXPOSE ${port}`,
    `CMD ${JSON.stringify(["sh", "-c", START, "rowhouse", ...serve])}`,
    "",
  ].join("\n");

function aptLines(packages: readonly string[]): readonly string[] {
  if (packages.length === 0) return [];
  const install = ["apt-get", "install", "--yes", "--no-install-recommends", "--", ...new Set(packages)];
  return ['RUN ["apt-get", "update"]', `RUN ${JSON.stringify(install)}`];
}

/** The `package.json` of the site. @param version of Rowhouse, unless `--branch` is given */
export function manifest({ packages, plugins, rowhouse }: SiteOptions, version: string): string {
  const dependencies = [
    ["rowhouse", rowhouse ?? version] as const,
    ...packages.map(({ name, range }) => [name, range] as const),
  ];
  const content = {
    name: "rowhouse-site",
    private: true,
    ...moduleType(plugins),
    engines: { node: `${NODE_MAJOR}.x` },
    dependencies: Object.fromEntries(dependencies),
    // The install script of sqlite3 downloads its binary; newer versions of npm run only allowed scripts.
    allowScripts: { sqlite3: true },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** The module type of `.js` files in the plugins folder. */
function moduleType(plugins: string | null): { readonly type?: string } {
  if (plugins === null) return {};
  const type = nearestManifest(plugins)["type"];
  return typeof type === "string" ? { type } : {};
}

function nearestManifest(folder: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))) as Record<string, unknown>;
  } catch {
    const above = dirname(folder);
    return above === folder ? {} : nearestManifest(above);
  }
}

const INSPECT_FILE = "inspect-data.json";

/** The arguments of `rowhouse inspect` in the bundle; null without databases. */
export function inspectWords({ databases, spatialite }: SiteOptions): readonly string[] | null {
  if (databases.length === 0) return null;
  const extension = spatialite ? ["--load-extension", "spatialite"] : [];
  return [...databases.map(({ to }) => to), ...extension, "--inspect-file", INSPECT_FILE];
}

/** The arguments of `rowhouse serve` in the bundle, without the port. `--extra-options` come last and win. */
export function serveWords(site: SiteOptions, settings: Readonly<Record<string, string>>): readonly string[] {
  const { databases, metadata, templates, plugins, statics, spatialite, versionNote, extraOptions } = site;
  return [
    "--host=0.0.0.0",
    "--cors",
    ...databases.map(({ to }) => `--immutable=${to}`),
    ...(databases.length > 0 ? [`--inspect-file=${INSPECT_FILE}`] : []),
    ...(metadata === null ? [] : ["--metadata=metadata.json"]),
    ...(templates === null ? [] : ["--template-dir=templates"]),
    ...(plugins === null ? [] : ["--plugins-dir=plugins"]),
    ...statics.map(({ mount }, index) => `--static=${mount}:${staticFolder(index)}`),
    ...(spatialite ? ["--load-extension=spatialite"] : []),
    ...(versionNote === null ? [] : [`--version-note=${versionNote}`]),
    ...Object.entries(settings).flatMap(([name, value]) => ["--setting", name, value]),
    ...extraOptions,
  ];
}
