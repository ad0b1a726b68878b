import { accessSync, constants } from "node:fs";
import { type Browser, chromium } from "playwright-core";

// The headless shell first: a complete Chromium loads its own toolbar in a process for each window, and takes five times
// the processor time to open a page.
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

// Nothing but the pages asked for: a browser left to itself calls home.
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
  "--hide-scrollbars",
  // A name that is no secure context over plain HTTP, as those of this machine are.
  "--host-resolver-rules=MAP rowhouse.test 127.0.0.1",
];

/** Where a Chromium is installed (`CHROMIUM` overrides); null when there is none. */
export function chromiumPath(): string | null {
  const places = process.env["CHROMIUM"] === undefined ? PLACES : [process.env["CHROMIUM"]];
  return places.find(isExecutable) ?? null;
}

let shared: Promise<Browser> | null = null;

/**
 * One Chromium for all files of specs in this process: starting one takes as long as opening several pages. It ends with
 * the process. If it has crashed, the next call starts another one.
 *
 * @throws Error when there is no Chromium
 */
export async function sharedChromium(): Promise<Browser> {
  const running = await shared?.catch(() => null);
  if (running?.isConnected() === true) return running;
  shared = launchChromium();
  return shared;
}

/** @throws Error when there is no Chromium */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error("Chromium is not installed");
  return chromium.launch({ executablePath, args: QUIET, timeout: 90_000 });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
