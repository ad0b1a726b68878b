import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { inBrowser } from "./session.js";

const tables = { books: [{ id: 1, title: "Emma" }], diaries: [{ id: 1 }] };
const view = { forcedColors: "active", bypassPolicy: true } as const;

/** Whether the place looks different without what the rule takes away. */
async function isSeen(page: Page, place: Locator, rule: string): Promise<boolean> {
  const before = await place.screenshot();
  await page.addStyleTag({ content: rule });
  return !before.equals(await place.screenshot());
}

describe("pages in colours that the system forces", () => {
  const session = inBrowser({ tables });

  it("keep the carets of menus", async () => {
    const page = await session.open("/library/books", { ...view, as: { id: "root" } });
    const menu = page.locator(".site-menu > summary");

    expect(await isSeen(page, menu, ".menu > summary::after { visibility: hidden !important }")).to.equal(
      true,
    );
  });

  it("show which place of the jump menu is selected", async () => {
    const page = await session.open("/library/books", view);
    await page.keyboard.press("Control+k");
    const selected = page.locator('.jump-dialog [aria-selected="true"]');
    await selected.waitFor();
    const isMarked = await isSeen(page, selected, "[aria-selected] { background: none !important }");

    expect(isMarked).to.equal(true);
  });

  it("show where the cursor is in the box for SQL", async () => {
    const page = await session.open("/library?sql=select+1", view);
    const caret = await page.evaluate(`getComputedStyle(document.querySelector("textarea.sql")).caretColor`);
    const ink = await page.evaluate("getComputedStyle(document.body).color");

    expect(caret).to.equal(ink);
  });
});
