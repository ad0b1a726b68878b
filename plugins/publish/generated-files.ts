import type { Bundle } from "rowhouse/plugin-api";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Wishes } from "./read-options.js";
import { staticFolder } from "./write-bundle.js";

/** What an image is made of, beside the files. */
interface Image extends Pick<Bundle, "inspect" | "serve"> {
  readonly port: number;
  readonly aptPackages: readonly string[];
}

const ROWHOUSE = "node_modules/.bin/rowhouse";
// The shell is there for $PORT alone: all other words reach the server as they are.
const START = `exec ${ROWHOUSE} serve --port "$PORT" "$@"`;

/** The `Dockerfile` of a bundle. Secrets are for the environment of the container, never in here. */
export const dockerfile = ({ inspect, serve, port, aptPackages }: Image): string =>
  [
    "FROM node:20-slim",
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

/** The `package.json` of the site. @param version of Rowhouse, unless it comes from somewhere else */
export function manifest({ packages, plugins, rowhouse }: Wishes, version: string): string {
  const dependencies = [
    ["rowhouse", rowhouse ?? version] as const,
    ...packages.map(({ name, range }) => [name, range] as const),
  ];
  const content = {
    name: "rowhouse-site",
    private: true,
    ...moduleType(plugins),
    engines: { node: "20.x" },
    dependencies: Object.fromEntries(dependencies),
    // The driver fetches its binary when it is installed, which later versions of npm want to be told of.
    allowScripts: { sqlite3: true },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `.js` files among the plugins are to be the kind of module there that they are here. */
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

/** The arguments of `rowhouse inspect` in the bundle; null where there is nothing to inspect. */
export function inspectWords({ databases, spatialite }: Wishes): readonly string[] | null {
  if (databases.length === 0) return null;
  const extension = spatialite ? ["--load-extension", "spatialite"] : [];
  return [...databases.map(({ to }) => to), ...extension, "--inspect-file", INSPECT_FILE];
}

/** The arguments of `rowhouse serve` in the bundle, without the port. What people say themselves comes last, and wins. */
export function serveWords(wishes: Wishes, settings: Readonly<Record<string, string>>): readonly string[] {
  const { databases, metadata, templates, plugins, statics, spatialite, versionNote, extraOptions } = wishes;
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
