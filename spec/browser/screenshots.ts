/**
 * Takes pictures of a running instance, in both colour schemes, on a desk and on a phone:
 *
 *     node dist/spec/browser/screenshots.js http://127.0.0.1:8001 /tmp/shots / /library /library/books
 *
 * `COOKIE=rowhouse_actor=...` takes them as somebody, `FULL=1` whole pages.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchChromium } from "./chromium.js";

const WIDTHS = [1280, 390] as const;
const SCHEMES = ["light", "dark"] as const;

const [origin, folder, ...paths] = process.argv.slice(2);
if (origin === undefined || folder === undefined || paths.length === 0) {
  throw new Error("Usage: screenshots.js ORIGIN FOLDER PATH...");
}
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
for (const width of WIDTHS) {
  for (const colorScheme of SCHEMES) await takeAll(browser, width, colorScheme);
}
await browser.close();

async function takeAll(
  from: Browser,
  width: (typeof WIDTHS)[number],
  colorScheme: (typeof SCHEMES)[number],
): Promise<void> {
  const context = await from.newContext({ viewport: { width, height: 800 }, colorScheme });
  const [cookieName, cookieValue] = (process.env["COOKIE"] ?? "").split("=", 2);
  if (cookieName && cookieValue) {
    await context.addCookies([{ name: cookieName, value: cookieValue, url: origin ?? "" }]);
  }
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") process.stderr.write(`${page.url()}: ${message.text()}\n`);
  });
  for (const path of paths) {
    await page.goto(origin + path);
    const file = `${nameOf(path)}-${width}-${colorScheme}.png`;
    await page.screenshot({ path: join(folder ?? "", file), fullPage: process.env["FULL"] === "1" });
  }
  await context.close();
}

function nameOf(path: string): string {
  return path.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "index";
}
