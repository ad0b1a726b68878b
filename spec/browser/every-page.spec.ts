import { expect } from "chai";
import type { Page, Response } from "playwright-core";
import { METADATA, PATHS, SQL } from "./pages.js";
import { inBrowser, loadAxeWith, violations, type View } from "./session.js";

/** Routes that answer with something else than a page. */
const NO_PAGES =
  /^(absent-dashboards|auth-token|autocomplete|favicon|foreign-key-targets|foreign-key-suggestions|health|import-facts|metrics|ready|static|static-plugins|page-script|download|.*redirect)$/;
const MOST_TRANSFERRED = 100_000;
const root = { id: "root" };

describe("every page in a browser", () => {
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  it("is among those looked at here", () => {
    const templates = session.rowhouse.rowhouse.routes.flatMap(({ name, method = "GET", path }) =>
      method === "GET" && typeof path === "string" && !NO_PAGES.test(name) ? [path] : [],
    );
    const forgotten = templates.filter((path) => {
      const pattern = path.replace("{.:format}", "").replace(/:\w+/g, "[^/?]+");
      return !PATHS.some((looked) => new RegExp(`^${pattern}(\\?|$)`).test(looked));
    });

    expect(templates).to.include("/:database{.:format}");
    expect(forgotten).to.deep.equal([]);
  });

  /** Looks at all pages, in two tabs. `look` gets the reply of the server. */
  const onEveryPage = async (
    view: View,
    look: (page: Page, path: string, response: Response | null) => Promise<void>,
    prepare: (page: Page) => Promise<unknown>,
  ): Promise<void> => {
    const waiting = [...PATHS];
    const lookOn = async (page: Page): Promise<void> => {
      await prepare(page);
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        await look(page, path, await page.goto(session.rowhouse.origin + path));
      }
    };
    await Promise.all([lookOn(await session.page(view)), lookOn(await session.page(view))]);
  };

  it("is accessible, and has enough contrast in the dark theme too", async () => {
    const found: string[] = [];
    const look = async (page: Page, path: string): Promise<void> => {
      found.push(...(await violations(page)).map((what) => `${path}: ${what}`));
      // Without movement, so that no colour is looked at on its way.
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      // Only colours differ between the themes.
      const inDark = await violations(page, ["color-contrast", "link-in-text-block"]);
      found.push(...inDark.map((what) => `${path}: dark: ${what}`));
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference" });
    };
    await onEveryPage({ as: root, bypassPolicy: true }, look, loadAxeWith);

    expect(found).to.deep.equal([]);
  }).timeout(600_000);

  it("has no errors, fits a phone, comes from nowhere else, under a strict policy, and is small", async () => {
    const tooWide: string[] = [];
    const odd: string[] = [];
    const transfersOf = new Map<Page, Promise<number>[]>();
    const look = async (page: Page, path: string, response: Response | null): Promise<void> => {
      const policy = response?.headers()["content-security-policy"] ?? "";
      if (!policy.includes("default-src 'self'") || policy.includes("unsafe")) odd.push(`${path}: ${policy}`);
      const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
      if (overflow > 0) tooWide.push(`${path}: ${overflow} pixels`);
      const transfers = await Promise.all(transfersOf.get(page) ?? []);
      const bytes = transfers.reduce((sum, size) => sum + size, 0);
      if (bytes > MOST_TRANSFERRED || bytes < 5000) odd.push(`${path}: ${bytes} bytes`);
    };
    await onEveryPage({ as: root, width: 390 }, look, async (page) => {
      // Pages that are intercepted are loaded afresh, whatever the browser has kept.
      await page.route("**", (route) => route.continue());
      page.on("request", (request) => {
        if (request.isNavigationRequest()) transfersOf.set(page, []);
      });
      page.on("requestfinished", (request) => {
        if (!request.url().startsWith(session.rowhouse.origin)) odd.push(request.url());
        const size = request.sizes().then((sizes) => sizes.responseHeadersSize + sizes.responseBodySize);
        transfersOf.set(page, [...(transfersOf.get(page) ?? []), size]);
      });
    });

    expect(session.complaints).to.deep.equal([]);
    expect(tooWide).to.deep.equal([]);
    expect(odd).to.deep.equal([]);
  }).timeout(600_000);

  it("shows where the keyboard is", async () => {
    const page = await session.open("/library/books", { as: root });
    const unmarked: string[] = [];
    let stops = 0;
    // After the last stop, the browser has the focus.
    for (;;) {
      await page.keyboard.press("Tab");
      if (stops > 100 || (await page.evaluate("document.activeElement === document.body")) === true) break;
      stops += 1;
      const marked = await page.evaluate(
        "(() => { const e = document.activeElement; const s = getComputedStyle(e); " +
          "return s.outlineStyle !== 'none' || s.boxShadow !== 'none' ? '' : e.outerHTML.slice(0, 80); })()",
      );
      if (marked !== "") unmarked.push(String(marked));
    }

    expect(unmarked).to.deep.equal([]);
    expect(stops).to.be.within(15, 100);
  });
});
