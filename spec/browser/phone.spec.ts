import { expect } from "chai";
import { LONG_TABLE_PATH, METADATA, SQL } from "./pages.js";
import type { Page } from "playwright-core";
import { recordShifts, shiftsOf } from "./layout-shifts.js";
import { inBrowser } from "./session.js";

const PHONE_WIDTH = 390;
const FINGER_PX = 40;
const root = { id: "root" };

const PATHS = [
  "/library/people/-/new-row",
  "/library/books/1/-/edit",
  "/library/books?_group=year&_agg=count",
  "/library/books/-/columns",
  "/library/-/new-table",
  "/library/-/write-sql",
  "/library/-/import",
  "/library?sql=select+1",
  "/missing?a=1",
  "/-/settings",
  "/-/plugins",
  "/-/actions",
  "/-/openapi",
  "/-/permissions",
];

/** The height below the lowest button of the toolbar. */
async function emptyHeight(page: Page): Promise<number> {
  return (await page.evaluate(`(() => {
    const bar = document.querySelector(".toolbar");
    const bottoms = [...bar.querySelectorAll("button, summary")].filter((one) => one.checkVisibility())
      .map((one) => one.getBoundingClientRect().bottom);
    return Math.round(bar.getBoundingClientRect().bottom - Math.max(...bottoms));
  })()`)) as number;
}

describe("pages on a phone", () => {
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  it("have controls that are as high as a finger, and listings that need no scrolling sideways", async () => {
    const page = await session.page({ as: root, width: PHONE_WIDTH });
    const found: string[] = [];
    for (const path of PATHS) {
      await page.goto(session.rowhouse.origin + path);
      found.push(...(await faults()).map((fault) => `${path}: ${fault}`));
    }

    expect(found).to.deep.equal([]);

    async function faults(): Promise<readonly string[]> {
      return (await page.evaluate(`(() => {
        const controls = "main :is(button, select, textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=file]))";
        const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
        const small = [...document.querySelectorAll(controls)].filter(shown)
          .filter((element) => element.getBoundingClientRect().height < ${FINGER_PX} - 0.5)
          .map((element) => "small: " + element.outerHTML.slice(0, 100));
        const wide = [...document.querySelectorAll(".table-wrapper:has(> .listing)")]
          .filter((box) => box.scrollWidth > box.clientWidth)
          .map((box) => "wide: " + box.getAttribute("aria-label"));
        return [...small, ...wide];
      })()`)) as readonly string[];
    }
  });

  it("have a header of one line, however long the name of a table is", async () => {
    const page = await session.page({ as: root, width: PHONE_WIDTH });
    const heightOn = async (path: string): Promise<number> => {
      await page.goto(session.rowhouse.origin + path);
      return (await page.locator(".site-header").boundingBox())?.height ?? 0;
    };

    expect(await heightOn(`${LONG_TABLE_PATH}/-/new-row`)).to.equal(
      await heightOn("/library/books/-/new-row"),
    );
  });

  it("have a toolbar as high as its lines, in which later buttons move no rows", async () => {
    const found: Record<string, readonly number[]> = {};
    for (const language of ["en", "de"])
      for (const path of ["people", "kinds", "books", "pairs"]) {
        const page = await session.page({ as: root, width: PHONE_WIDTH });
        await page.setExtraHTTPHeaders({ "accept-language": language });
        await recordShifts(page);
        await page.goto(`${session.rowhouse.origin}/library/${path}`);
        await page.locator(".toolbar[role=toolbar]").waitFor();
        found[`${path} ${language}`] = [await emptyHeight(page), Number((await shiftsOf(page)).toFixed(2))];
      }

    expect(found).to.deep.equal(Object.fromEntries(Object.keys(found).map((name) => [name, [0, 0]])));
  });

  it("open the menu of a table below its button", async () => {
    const page = await session.open("/library/people", { as: root, width: PHONE_WIDTH });
    await page.click(".export-menu > summary");
    const button = await page.locator(".export-menu > summary").boundingBox();
    const panel = await page.locator(".export-menu > .menu-panel").boundingBox();

    expect((panel?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).to.be.within(0, 8);
  });

  it("show the heading of each cell of a listing beside it", async () => {
    const page = await session.open("/-/settings", { as: root, width: PHONE_WIDTH });
    const heading = await page.evaluate(
      "getComputedStyle(document.querySelector('#setting-default_page_size td:nth-child(2)'), '::before').content",
    );

    expect(heading).to.equal('"Value"');
  });

  it("do not lay the fields of a form over each other", async () => {
    const page = await session.open("/library/books/-/new-row", { as: root, width: PHONE_WIDTH });
    const overlaps = await page.evaluate(`[...document.querySelectorAll(".edit-field")].flatMap((field) => {
      const boxes = [...field.querySelectorAll(":scope > label, input, select, textarea")].filter((element) =>
        element.checkVisibility()).map((element) => [element, element.getBoundingClientRect()]);
      return boxes.flatMap(([one, a], index) => boxes.slice(index + 1)
        .filter(([, b]) => a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1)
        .map(([other]) => one.outerHTML.slice(0, 60) + " / " + other.outerHTML.slice(0, 60)));
    })`);

    expect(overlaps).to.deep.equal([]);
  });
});
