import { spawn } from "node:child_process";
import type { Rowhouse } from "rowhouse/plugin-api";

/**
 * The page to open first: the only table, otherwise the only database, otherwise the index; with `base_url`.
 */
export async function firstPage(rowhouse: Rowhouse): Promise<string> {
  const { databases, urls } = rowhouse;
  const shown = [...databases.values()].filter(({ internal }) => !internal);
  const [only] = shown;
  if (only === undefined || shown.length > 1) return urls.instance();
  const { tables } = await only.schema();
  const service = rowhouse.serviceIfAny("tables");
  const visible = [...tables.values()].filter(
    (one) => one.kind !== "view" && one.kind !== "shadow" && service?.isHidden(only.name, one) !== true,
  );
  const [table] = visible;
  return table !== undefined && visible.length === 1
    ? urls.table(only.name, table.name)
    : urls.database(only.name);
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a page with `$BROWSER` or the command of the system. Does nothing on machines without a browser. */
export function openBrowser(url: string): void {
  const chosen = process.env["BROWSER"];
  const [command, ...words] = chosen ? [chosen] : (OPENERS[process.platform] ?? ["xdg-open"]);
  spawn(command, [...words, url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
