/**
 * Takes pictures of a running instance.
 *
 *     node dist/spec/browser/screenshots.js http://127.0.0.1:8001 /tmp/shots / /library /library/books
 *
 * takes each path in both colour schemes, on a desk and on a phone; `FULL=1` whole pages. With no paths,
 *
 *     npm start & node dist/spec/browser/screenshots.js http://127.0.0.1:8001 docs/images
 *
 * takes the pictures of the documentation, from the demonstration. `COOKIE=rowhouse_actor=...` is who looks.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "./chromium.js";

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
  /** What to do before it is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const DESK = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const BEST_DRAMAS =
  "select title, released, imdb_rating, worldwide_gross\nfrom movies join genres on genres.id = genre_id\n" +
  "where genres.name = :genre and imdb_votes > 50000\norder by imdb_rating desc limit 50";

const DOCUMENTATION: readonly Picture[] = [
  { name: "home", path: "/", ...DESK, colorScheme: "light" },
  { name: "table", path: "/movies/movies?genre_id=7", ...DESK, colorScheme: "light" },
  { name: "row", path: "/movies/movies/842", ...DESK, colorScheme: "light" },
  {
    name: "diagram",
    path: "/aviation/-/diagram",
    ...DESK,
    colorScheme: "light",
    prepare: async (page) => page.locator(".diagram-placed").waitFor(),
  },
  { name: "query", path: queryPath(BEST_DRAMAS), ...DESK, colorScheme: "light" },
  { name: "dark", path: "/aviation/flights", ...DESK, colorScheme: "dark" },
  { name: "phone", path: "/aviation/airports", ...PHONE, colorScheme: "light" },
  { name: "phone-dark", path: "/", ...PHONE, colorScheme: "dark" },
  { name: "jump", path: "/movies/movies", ...DESK, colorScheme: "light", prepare: openJumpMenu },
  { name: "chart", path: "/movies/movies", ...DESK, colorScheme: "light", prepare: openChart },
  {
    name: "map",
    path: "/earth/earthquakes",
    width: 1200,
    height: 640,
    colorScheme: "dark",
    prepare: openMap,
  },
  { name: "import", path: "/workshop/-/import", ...DESK, colorScheme: "light", prepare: openImport },
  { name: "new-row", path: "/workshop/notes/-/new-row", ...DESK, colorScheme: "light" },
  { name: "api", path: "/-/api#method=GET&path=%2Fmovies%2Fgenres.json", ...DESK, colorScheme: "light" },
];

const [origin, folder, ...paths] = process.argv.slice(2);
if (origin === undefined || folder === undefined)
  throw new Error("Usage: screenshots.js ORIGIN FOLDER [PATH...]");
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
for (const picture of paths.length === 0 ? DOCUMENTATION : paths.flatMap(everyView)) {
  await take(browser, picture, { origin, folder });
}
await browser.close();

function everyView(path: string): Picture[] {
  const views = [DESK, { width: 390, height: 800 }];
  return views.flatMap((size) =>
    (["light", "dark"] as const).map((colorScheme) => ({
      ...size,
      colorScheme,
      path,
      name: `${nameOf(path)}-${size.width}-${colorScheme}`,
    })),
  );
}

async function take(
  from: Browser,
  picture: Picture,
  to: { readonly origin: string; readonly folder: string },
): Promise<void> {
  const { width, height, colorScheme } = picture;
  const context = await from.newContext({ viewport: { width, height }, colorScheme });
  const [cookieName, cookieValue] = (process.env["COOKIE"] ?? "").split("=", 2);
  if (cookieName && cookieValue) {
    await context.addCookies([{ name: cookieName, value: cookieValue, url: to.origin }]);
  }
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") process.stderr.write(`${page.url()}: ${message.text()}\n`);
  });
  await page.goto(to.origin + picture.path, { waitUntil: "networkidle" });
  await picture.prepare?.(page);
  await page.screenshot({
    path: join(to.folder, `${picture.name}.png`),
    fullPage: process.env["FULL"] === "1",
  });
  await context.close();
}

async function openJumpMenu(page: Page): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.type("co");
  await page.waitForSelector('.jump-dialog [aria-selected="true"]');
  await page.waitForTimeout(300);
}

async function openChart(page: Page): Promise<void> {
  await page.click("button >> text=Chart");
  await page.waitForSelector("main svg rect");
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
}

async function openImport(page: Page): Promise<void> {
  const plants =
    "code,plant,planted,height_cm\n007,Fig,2024-03-01,120.5\n012,Quince,2023-11-12,86\n031,Medlar,,64.2\n";
  const buffer = Buffer.from(plants);
  await page.setInputFiles("input[type=file]", { name: "garden.csv", mimeType: "text/csv", buffer });
  await page.locator("h2 >> text=3. Import").waitFor();
  await page.locator("h2 >> text=2. Check").scrollIntoViewIfNeeded();
}

async function openMap(page: Page): Promise<void> {
  await page.click("text=Map");
  await page.waitForTimeout(1500);
}

function queryPath(sql: string): string {
  return `/movies?${new URLSearchParams({ sql, genre: "Drama" }).toString()}`;
}

function nameOf(path: string): string {
  return path.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "index";
}
