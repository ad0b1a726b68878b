import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { bundledPlugins } from "rowhouse/plugins";
import type { HookEntry } from "./hook-table.js";

/** Settings that no plugin declares: they are the kernel's own. */
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
  };
  let text = readFileSync(file, "utf8");
  for (const [name, table] of Object.entries(tables)) text = replaced(text, name, table);
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

/** @throws Error when the page has no place for it */
function replaced(page: string, name: string, table: string): string {
  const [begin, end] = [`<!-- npm run docs: ${name} -->`, `<!-- end: ${name} -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start === -1 || stop === -1)
    throw new Error(`There is no place for ${name} between ${begin} and ${end}`);
  return `${page.slice(0, start + begin.length)}\n\n${table}\n\n${page.slice(stop)}`;
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), row(heads.map(() => "---")), ...rows.map(row)].join("\n");

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
