import { packageOf, type SourceFile } from "./source-tree.js";

/** Names under which our own code is imported. */
const PUBLIC = ["rowhouse", "rowhouse/plugins", "rowhouse/config", "rowhouse/plugin-api", "rowhouse/testing"];

/** `rowhouse/plugin-api/sql` may be imported wherever `rowhouse/plugin-api` may. */
const API_FOLDER = /(?<=^rowhouse\/plugin-api)\/\w+$/;

/** What the files of one part of the tree may import. */
interface Zone {
  readonly holds: RegExp;
  /** Ours, by public name. */
  readonly ours: readonly string[];
  /** Ours, by path; `$1` is what the first group of `holds` matched. */
  readonly paths: readonly string[];
  /** True when the name of an npm package or of a part of Node may be imported. */
  readonly others: (name: string) => boolean;
}

const FILE_SYSTEM = ["node:fs", "node:fs/promises"];
const CONSOLE = ["node:readline", "node:tty", "node:repl"];

const anything = (): boolean => true;
const noDriver = (name: string): boolean => !["sqlite3", "pg"].includes(packageOf(name));
const forBrowsers = (name: string): boolean => noDriver(name) && !name.startsWith("node:");
/** Libraries, and parts of Node that read and write nothing outside of the process. */
const apiNeeds: ReadonlySet<string> = new Set([
  "express",
  "lru-cache",
  "tapable",
  "yargs",
  "node:buffer",
  "node:crypto",
  "node:diagnostics_channel",
  "node:path",
]);
const kernelNeeds = (name: string): boolean => ["tapable", "lru-cache", "node:crypto"].includes(name);
const serverNeeds = (name: string): boolean =>
  name === "express" || (name.startsWith("node:") && ![...FILE_SYSTEM, ...CONSOLE].includes(name));

/** Who may import whom; the first zone that holds a file counts. */
const zones: readonly Zone[] = [
  // Runs where there is no Node.
  {
    holds: /^plugin-api\/browser\//,
    ours: [],
    paths: [
      "plugin-api/browser/",
      "plugin-api/json/tokens.ts$",
      "plugin-api/sql/tokens.ts$",
      "plugin-api/http/tilde-encode.ts$",
      "plugin-api/html/filled-text.ts$",
      "plugin-api/html/short-text.ts$",
    ],
    others: () => false,
  },
  {
    holds: /^plugin-api\/html\/(?:filled-text|language-rules|short-text)\.ts$/,
    ours: [],
    paths: ["plugin-api/html/language-rules.ts$"],
    others: () => false,
  },
  { holds: /^plugin-api\/(?:json|sql)\/tokens\.ts$/, ours: [], paths: [], others: () => false },
  // Runs in both.
  { holds: /^plugin-api\/csv\//, ours: [], paths: ["plugin-api/csv/"], others: () => false },
  {
    holds: /^plugin-api\//,
    ours: [],
    paths: ["plugin-api/"],
    others: (name) => apiNeeds.has(name),
  },
  { holds: /^core\//, ours: ["rowhouse/plugin-api"], paths: ["core/"], others: kernelNeeds },
  {
    holds: /^cli\/http\//,
    ours: ["rowhouse/plugin-api"],
    paths: ["cli/http/", "core/index.ts$"],
    others: serverNeeds,
  },
  {
    holds: /^plugins\/index\.ts$/,
    ours: ["rowhouse/plugin-api"],
    paths: ["plugins/[^/]+/index.ts$"],
    others: () => false,
  },
  {
    holds: /^plugins\/([^/]+)\/client\//,
    ours: ["rowhouse/browser", "rowhouse/plugin-api/csv"],
    paths: ["plugins/$1/client/"],
    others: forBrowsers,
  },
  {
    holds: /^plugins\/(sqlite|postgres)\//,
    ours: ["rowhouse/plugin-api"],
    paths: ["plugins/$1/"],
    others: anything,
  },
  { holds: /^plugins\/([^/]+)\//, ours: ["rowhouse/plugin-api"], paths: ["plugins/$1/"], others: noDriver },
  {
    holds: /^cli\//,
    ours: ["rowhouse", "rowhouse/plugins", "rowhouse/plugin-api"],
    paths: ["cli/"],
    others: noDriver,
  },
  { holds: /^spec\/core\//, ours: PUBLIC, paths: ["spec/", "core/"], others: noDriver },
  { holds: /^spec\/cli\//, ours: PUBLIC, paths: ["spec/", "cli/"], others: noDriver },
  { holds: /^spec\/demo\//, ours: PUBLIC, paths: ["spec/", "demo/"], others: noDriver },
  // Pages are held against the command's own tables, and against what generates them.
  {
    holds: /^spec\/docs\//,
    ours: PUBLIC,
    paths: ["spec/", "cli/", "build/", "plugins/metadata/kinds.ts$"],
    others: noDriver,
  },
  // The engine's workarounds are held against the driver they work around.
  {
    holds: /^spec\/plugins\/(sqlite|postgres)\//,
    ours: PUBLIC,
    paths: ["spec/", "plugins/$1/"],
    others: anything,
  },
  { holds: /^spec\/plugins\/([^/]+)\//, ours: PUBLIC, paths: ["spec/", "plugins/$1/"], others: noDriver },
  // The one place where specs see a database file without Rowhouse.
  { holds: /^spec\/harness\/raw-sqlite\.ts$/, ours: [], paths: [], others: anything },
  {
    holds: /^spec\/harness\/postgres\.ts$/,
    ours: [],
    paths: ["spec/harness/free-port.ts"],
    others: anything,
  },
  { holds: /^spec\//, ours: PUBLIC, paths: ["spec/"], others: noDriver },
  // What exact rows cost is measured with the statement that makes them.
  {
    holds: /^bench\/floor\.ts$/,
    ours: ["rowhouse/plugin-api"],
    paths: ["plugins/sqlite/read/"],
    others: anything,
  },
  // The program that Rowhouse is measured against uses the driver itself.
  { holds: /^bench\//, ours: PUBLIC, paths: ["bench/", "spec/harness/"], others: anything },
  // The demonstration is served by the command itself.
  { holds: /^demo\//, ours: PUBLIC, paths: ["demo/", "cli/main.ts$"], others: noDriver },
  {
    holds: /^build\//,
    ours: ["rowhouse", "rowhouse/plugins", "rowhouse/plugin-api"],
    paths: ["build/"],
    others: noDriver,
  },
  // Example plugins live by the rule of all plugins.
  { holds: /^docs\//, ours: ["rowhouse/plugin-api"], paths: [], others: () => false },
];

/** The imports of a file that point where they must not, each as `file -> import`. */
export function wrongArrows(file: Pick<SourceFile, "path" | "imports">): readonly string[] {
  const zone = zones.find(({ holds }) => holds.test(file.path));
  if (zone === undefined) return [`${file.path} lies in no known part of the tree`];
  const inside = zone.holds.exec(file.path)?.[1] ?? "";
  const paths = zone.paths.map((path) => new RegExp(`^${path.replace("$1", inside)}`));
  return file.imports
    .filter((name) => !isAllowed(name, zone, paths))
    .map((name) => `${file.path} -> ${name}`);
}

function isAllowed(name: string, zone: Zone, paths: readonly RegExp[]): boolean {
  if (packageOf(name) === "rowhouse")
    return zone.ours.some((own) => own === name || own === name.replace(API_FOLDER, ""));
  if (name.endsWith(".ts")) return paths.some((path) => path.test(name));
  return zone.others(name);
}
