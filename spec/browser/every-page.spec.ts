import { expect } from "chai";
import type { Page } from "playwright-core";
import { SERVICE_PAGES } from "./service-pages.js";
import { inBrowser, violations, type View } from "./session.js";

const LONG = "long text ".repeat(300);
const NUMBERS = Array.from({ length: 200 }, (_, index) => index).join();
const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (
    id integer primary key, title text, kind integer references kinds(id), year integer, price real, cover blob,
    home text, remark text
  );
  insert into books values
    (1, 'Emma', 1, 1815, 7.5, x'00ff', 'https://example.org/emma', ''),
    (2, 'Hamlet', 2, 1603, 9.0, null, null, null),
    (3, 'שלום 👩‍👩‍👧‍👦', null, null, null, null, null, '${LONG}');
  create virtual table books_fts using fts5(title, content='books');
  create table pairs (a text, b text, primary key (a, b));
  insert into pairs values ('x', 'y');
  create table "nothing" (id integer primary key);
  create table wide (id integer primary key, a_column_with_a_name_much_longer_than_any_phone_is_wide_${"x".repeat(60)} text, ${columns(60)});
  insert into wide (id) values (1), (2);
  create table people (id integer primary key, email text, home text, settings text, face text, notes text);
  insert into people values
    (1, 'ann@example.org', 'https://example.org/', '{"a list": [${NUMBERS}]}', 'data:,', 'one' || char(10) || ' two' || char(10) || '${LONG}'),
    (2, 'nobody', 'javascript:alert(1)', '{', 'http://example.org/a.png', null);
  create view recent as select title, year from books;
`;
const METADATA = {
  title: "A library",
  description: "Books and what they are",
  license: "CC0",
  license_url: "https://example.org/cc0",
  databases: {
    library: {
      tables: {
        books: { description: "All of them", columns: { year: "Of the first print" }, facets: ["kind"] },
        pairs: { allow: { id: "root" } },
        people: {
          column_types: { email: "email", home: "url", settings: "json", face: "image", notes: "textarea" },
        },
      },
      queries: {
        by_year: { sql: "select * from books where year > :year", title: "After a year" },
        add: { sql: "insert into kinds (name) values (:name)", write: true },
      },
    },
  },
};
const PATHS = [
  "/",
  "/library",
  "/library/books",
  "/library/books?_facet=year&title__contains=a&_search=emma&_where=year+>+1&_sort_desc=year",
  "/library/books?title=nobody",
  "/library/books?_size=1",
  "/library/books?_group=year&_agg=count,min(title)",
  "/library/books?_order=-year,title",
  "/library/books/1",
  "/library/books/3",
  "/library/pairs",
  "/library/pairs/x,y",
  "/library/people",
  "/library/people/1",
  "/library/nothing",
  "/library/wide",
  "/library/recent",
  "/library?sql=select+*+from+books+where+id+<+:id&id=9",
  "/library?sql=select+*+from+[nothing]",
  "/library?sql=selec",
  "/library/by_year?year=1700",
  "/library/add",
  "/library/books/-/columns",
  "/library/books/-/new-row",
  "/library/books/-/import",
  "/library/books/-/structure",
  "/library/books/-/remove",
  "/library/books/1/-/edit",
  "/library/books/1/-/remove",
  "/library/-/diagram",
  "/library/-/new-table",
  "/library/-/import",
  "/-/api?path=/library/books.json",
  "/-/jump?q=nowhere",
  "/-/jump?q=import+books",
  "/-/jump?q=emma",
  "/-/settings?q=nowhere&changed=1",
  "/-/create-token?place=library/books",
  "/-/permissions?action=view-table&result=allowed",
  "/-/check?actor=null&action=view-table&parent=library&child=pairs",
  "/-/tokens",
  "/-/logout",
  "/missing",
  "/missing?sql=select+:a&a=1",
  "/library/books?_sort=missing&title__contains=a",
  ...SERVICE_PAGES,
];
/** Routes that answer with something else than a page. */
const NO_PAGES =
  /^(auth-token|autocomplete|favicon|health|import-facts|metrics|ready|static|static-plugins|page-script|download|.*redirect)$/;
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

  /** What is found on all pages, looked at in two tabs. */
  const onEveryPage = async (view: View, look: (page: Page) => Promise<string[]>): Promise<string[]> => {
    const waiting = [...PATHS];
    const found: string[] = [];
    const lookOn = async (page: Page): Promise<void> => {
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        await page.goto(session.rowhouse.origin + path);
        found.push(...(await look(page)).map((what) => `${path}: ${what}`));
      }
    };
    await Promise.all([lookOn(await session.page(view)), lookOn(await session.page(view))]);
    return found;
  };
  const wrongIn = (colorScheme: "light" | "dark", rules?: readonly string[]): Promise<string[]> =>
    onEveryPage({ as: root, colorScheme, bypassPolicy: true }, (page) => violations(page, rules));

  it("is accessible", async () => {
    expect(await wrongIn("light")).to.deep.equal([]);
  }).timeout(300_000);

  it("has enough contrast in the dark theme too", async () => {
    // Only colours differ between the themes.
    expect(await wrongIn("dark", ["color-contrast", "link-in-text-block"])).to.deep.equal([]);
  }).timeout(300_000);

  it("is accessible with its menus and its dialog open", async () => {
    const view = { as: root, bypassPolicy: true } as const;
    const page = await session.open("/library/books", view);
    const found: string[] = [];
    await page.locator(".site-menu summary").click();
    found.push(...(await violations(page)));
    await page.keyboard.press("Escape");
    await page.locator("th.col-title .column-menu summary").click();
    found.push(...(await violations(page)));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.waitForSelector('.jump-dialog [aria-selected="true"]');
    found.push(...(await violations(page)));

    expect(found).to.deep.equal([]);
  });

  it("has no errors and fits a phone", async () => {
    const tooWide = await onEveryPage({ as: root, width: 390 }, async (page) => {
      const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
      return overflow > 0 ? [`${overflow} pixels`] : [];
    });

    expect(session.complaints).to.deep.equal([]);
    expect(tooWide).to.deep.equal([]);
  }).timeout(300_000);

  it("comes from nowhere else, under a strict policy, and is small", async () => {
    const page = await session.page({ as: root });
    // Pages that are intercepted are loaded afresh, whatever the browser has kept.
    await page.route("**", (route) => route.continue());
    const odd: string[] = [];
    let transfers: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (!request.url().startsWith(session.rowhouse.origin)) odd.push(request.url());
      transfers.push(request.sizes().then((sizes) => sizes.responseHeadersSize + sizes.responseBodySize));
    });
    for (const path of PATHS) {
      transfers = [];
      const response = await page.goto(session.rowhouse.origin + path);
      const policy = response?.headers()["content-security-policy"] ?? "";
      if (!policy.includes("default-src 'self'") || policy.includes("unsafe")) odd.push(`${path}: ${policy}`);
      const bytes = (await Promise.all(transfers)).reduce((sum, size) => sum + size, 0);
      if (bytes > MOST_TRANSFERRED || bytes < 5000) odd.push(`${path}: ${bytes} bytes`);
    }

    expect(odd).to.deep.equal([]);
  }).timeout(300_000);

  it("shows where the keyboard is", async () => {
    const page = await session.open("/library/books", { as: root });
    const unmarked: string[] = [];
    for (let step = 0; step < 25; step += 1) {
      await page.keyboard.press("Tab");
      const marked = await page.evaluate(
        "(() => { const e = document.activeElement; const s = getComputedStyle(e); " +
          "return s.outlineStyle !== 'none' || s.boxShadow !== 'none' ? '' : e.outerHTML.slice(0, 80); })()",
      );
      if (marked !== "") unmarked.push(String(marked));
    }

    expect(unmarked).to.deep.equal([]);
  });
});

function columns(count: number): string {
  return Array.from({ length: count }, (_, index) => `column_${index} text`).join(", ");
}
