import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Actor } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestRowhouse } from "rowhouse/testing";
import { chromiumPath, sharedChromium } from "./chromium.js";

const isRequired = process.env["ROWHOUSE_REQUIRE_BROWSER"] === "1";

// For each wait, on a machine that has much else to do.
const TIME_LIMIT_MS = 90_000;

// The small one: pages compile it in half the time.
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** How a page is looked at. */
export interface View {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly scripting?: boolean;
  /** `Europe/Berlin` */
  readonly timezone?: string;
  /** `de-DE` */
  readonly locale?: string;
  /** As if the system replaced the colours of pages by a few of its own. */
  readonly forcedColors?: "active" | "none";
  readonly as?: Actor;
  /** Lets a spec put a script of its own into the page; violations of the policy then go unseen. */
  readonly bypassPolicy?: boolean;
}

/** Serves `contents` and starts a browser for the specs around it, which are skipped where there is none. */
export function inBrowser(contents: Contents): BrowserSession {
  const session = new BrowserSession();
  before(async function () {
    if (chromiumPath() === null && !isRequired) {
      process.stderr.write("No Chromium here: the specs of the browser are skipped.\n");
      return this.skip();
    }
    await session.start();
    await session.serve(contents);
  });
  after(() => session.close());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") process.stderr.write(await session.lastSeen());
    await session.reset();
  });
  return session;
}

/** A Chromium for the specs of one file, what it looks at, and what its pages complained about since the last test. */
export class BrowserSession {
  #browser: Browser | null = null;
  #rowhouse: TestRowhouse | null = null;
  #contexts: BrowserContext[] = [];
  /** Uncaught errors, and errors on the console, those of the policy among them. */
  readonly complaints: string[] = [];

  async start(): Promise<void> {
    this.#browser = await sharedChromium();
  }

  async close(): Promise<void> {
    await this.reset();
  }

  async serve(contents: Contents): Promise<void> {
    this.#rowhouse = await rowhouseFor(contents);
  }

  /** What is looked at. @throws Error before a test begins */
  get rowhouse(): TestRowhouse {
    if (this.#rowhouse === null) throw new Error("Nothing is served yet");
    return this.#rowhouse;
  }

  /** Closes the pages of the last test and forgets their complaints. */
  async reset(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    this.complaints.length = 0;
  }

  /** For a test that failed: what its pages show, what has the focus, and what they complained about. */
  async lastSeen(): Promise<string> {
    const pages = this.#contexts.flatMap((context) => context.pages());
    const seen = await Promise.all(
      pages.map(async (page) => {
        const focused = await page.evaluate("document.activeElement.outerHTML.slice(0, 300)").catch(String);
        const text = await page.evaluate("document.body.innerText.slice(0, 3000)").catch(String);
        return `\n${page.url()}\nfocused: ${String(focused)}\n${String(text)}\n`;
      }),
    );
    return [...seen, ...this.complaints, ""].join("\n");
  }

  /** A page on `path`, in a context of its own. */
  async open(path: string, view: View = {}): Promise<Page> {
    const page = await this.page(view);
    await page.goto(this.rowhouse.origin + path);
    return page;
  }

  /** An empty page. */
  async page(view: View = {}): Promise<Page> {
    const { width = 1280, colorScheme = "light", scripting = true, as, bypassPolicy = false } = view;
    const { forcedColors = "none", timezone = "UTC", locale = "en-US" } = view;
    if (this.#browser === null) throw new Error("The browser was not started");
    const context = await this.#browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      forcedColors,
      timezoneId: timezone,
      locale,
      javaScriptEnabled: scripting,
      bypassCSP: bypassPolicy,
    });
    context.setDefaultTimeout(TIME_LIMIT_MS);
    this.#contexts.push(context);
    if (as !== undefined) {
      const value = this.rowhouse.rowhouse.sign({ a: as }, "actor");
      await context.addCookies([{ name: "rowhouse_actor", value, url: this.rowhouse.origin }]);
    }
    const page = await context.newPage();
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      // A page that is refused or missing is one of the things looked at.
      const isOwnStatus = /status of 4\d\d/.test(message.text());
      if (message.type() === "error" && !isOwnStatus) this.complaints.push(message.text());
    });
    return page;
  }
}

/** For a tab in which many pages are looked at: they load axe themselves, which the browser then compiles once. */
export const loadAxeWith = (page: Page): Promise<unknown> => page.addInitScript(AXE);

/**
 * What axe finds wrong with a page, each as `rule: element`. The page must bypass the policy. Default all rules.
 *
 * @param within a selector: only the elements inside are looked at, by the rules that need no whole page
 */
export async function violations(
  page: Page,
  rules: readonly string[] = [],
  within: string | null = null,
): Promise<string[]> {
  const isThere = await page.evaluate("typeof axe === 'object'");
  if (isThere !== true) await page.evaluate(AXE);
  const chosen = rules.length === 0 ? {} : { runOnly: { type: "rule", values: rules } };
  // Nothing is said about what is right, and nodes are named by their HTML.
  // Style sheets would be fetched once more, for a rule that is off by default.
  const preload = { assets: ["media"] };
  const options = { ...chosen, preload, resultTypes: ["violations"], selectors: false };
  const found = await page.evaluate(
    `axe.run(${within === null ? "document" : JSON.stringify(within)}, ${JSON.stringify(options)})`,
  );
  const { violations: broken } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return broken.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
