import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPlugins } from "rowhouse/plugins";
import { formatted } from "./formatted.js";
import { replaced, table } from "./generated-table.js";
import type { HookEntry } from "./hook-table.js";

/** Names of all settings, in the order of listings; those that no plugin declares are the kernel's own. */
type DeclaredNames = Iterable<string>;

/** `plugin-api/README.md` with its generated tables brought up to date; all else stays as it is. */
export async function apiPage(
  root: string,
  hooks: readonly HookEntry[],
  settings: DeclaredNames,
): Promise<string> {
  const file = join(root, "plugin-api/README.md");
  const kernel = hooks.filter(({ owner }) => owner === null);
  const others = hooks.filter(({ owner }) => owner !== null);
  const tables = {
    "the kernel's hooks": hookRows(kernel),
    "hooks of bundled plugins": hookRows(others),
    settings: settingRows(settings),
    subpaths: await subpathRows(root),
  };
  let text = readFileSync(file, "utf8");
  for (const [name, rows] of Object.entries(tables)) text = replaced(text, name, rows);
  return formatted(root, file, text);
}

const hookRows = (hooks: readonly HookEntry[]): string =>
  table(
    ["Hook", "Fired by", "Kind", "Arguments", "Answer"],
    hooks.map(({ name, owner, kind, args, answer }) => [
      `[\`${name}\`](../docs/hooks.md#${name})`,
      owner ?? "the kernel",
      `\`${kind}\``,
      [...(kind === "transform" ? ["value"] : []), ...args.map((one) => one.name)].map(code).join(", "),
      answer === null ? "" : code(answer),
    ]),
  );

/** What each subpath is about. A spec compares the folders. */
const TOPICS: Readonly<Record<string, string>> = {
  access: "Actors, permissions and signatures",
  contracts: "Hooks, services and settings of the bundled plugins",
  csv: "Values separated by a delimiter",
  engine: "Databases, schemas, rows and values, for plugins that read or provide databases",
  errors: "Errors with an HTTP status, and what clients may read of an error",
  html: "Markup and pages",
  http: "Requests, replies, routes, links and bodies",
  json: "JSON with exact numbers",
  kernel: "Hooks, settings and plugins as values, for plugins that inspect or wrap other plugins",
  metadata: "Metadata, also without what is secret or hidden, and types of columns",
  names: "Names as SQLite compares them, and similar names",
  openapi: "The description of endpoints for `/-/openapi.json`",
  sql: "Identifiers, literals and tokens of SQL, and barriers for row rules",
};

async function subpathRows(root: string): Promise<string> {
  const folders = readdirSync(join(root, "plugin-api"), { withFileTypes: true })
    // `rowhouse/browser` has its own page: docs/browser-api.md.
    .filter((entry) => entry.isDirectory() && entry.name !== "browser")
    .map(({ name }) => name)
    // `rowhouse/browser` is for scripts of pages, not for plugins.
    .filter((name) => name !== "browser")
    .toSorted();
  const rows = folders.map(async (name) => {
    const exported = (await import(`rowhouse/plugin-api/${name}`)) as Readonly<Record<string, unknown>>;
    const values = Object.keys(exported).map(code);
    return [`[\`rowhouse/plugin-api/${name}\`](${name})`, TOPICS[name] ?? "", values.join(", ")];
  });
  return table(["Subpath", "About", "Functions, classes and values"], await Promise.all(rows));
}

function settingRows(settings: DeclaredNames): string {
  const owned = bundledPlugins.flatMap(({ name, settings: own = [] }) =>
    own.map((setting) => [setting.name, name] as const),
  );
  const owner = new Map<string, string>(owned);
  return table(
    ["Setting", "Owner"],
    [...settings].map((name) => [code(name), owner.get(name) ?? "the kernel"]),
  );
}

const code = (text: string): string => `\`${text}\``;
