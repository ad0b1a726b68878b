import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { bundledPlugins } from "rowhouse/plugins";
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
  };
  let text = readFileSync(file, "utf8");
  for (const [name, rows] of Object.entries(tables)) text = replaced(text, name, rows);
  return format(text, { ...(await resolveConfig(file)), filepath: file });
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
