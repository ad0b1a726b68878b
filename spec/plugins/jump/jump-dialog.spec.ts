import { expect } from "chai";
import type { Page, Route } from "playwright-core";
import { inBrowser } from "../../browser/session.js";

const tables = { books: [{ id: 1 }], diaries: [{ id: 1 }] };
const SELECTED = '.jump-dialog [aria-selected="true"]';

/** Waits for the request with this text, because `release` continues only those that are there. */
async function untilAsked(page: Page, held: readonly Route[], text: string): Promise<void> {
  while (!held.some((route) => route.request().url().endsWith(`q=${text}`))) await page.waitForTimeout(20);
}

describe("the jump menu", () => {
  const session = inBrowser({ tables });

  /** Opens the menu; from then on each answer waits until `release` is called. */
  const openHeld = async (): Promise<{ page: Page; held: Route[]; release: () => Promise<void> }> => {
    const page = await session.open("/library");
    await page.keyboard.press("Control+k");
    await page.locator(SELECTED).waitFor();
    const held: Route[] = [];
    await page.route("**/-/jump.json*", (route) => void held.push(route));
    const release = async (): Promise<void> => {
      // A question that was overtaken may have been given up.
      for (const route of held.splice(0)) await route.continue().catch(() => undefined);
    };
    return { page, held, release };
  };

  it("opens what answers to the text in its field, not the first place of an older answer", async () => {
    const { page, held, release } = await openHeld();
    await page.keyboard.type("diar");
    await page.keyboard.press("Enter");
    await untilAsked(page, held, "diar");
    await page.waitForTimeout(300);
    expect(new URL(page.url()).pathname).to.equal("/library");
    await release();
    await page.waitForURL(/diaries/);

    expect(new URL(page.url()).pathname).to.equal("/library/diaries");
  });

  it("selects nothing until the answer is there", async () => {
    const { page, held, release } = await openHeld();
    await page.keyboard.type("diar");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator(SELECTED).count()).to.equal(0);
    await untilAsked(page, held, "diar");
    await release();
    await page.locator(SELECTED, { hasText: "diaries" }).waitFor();
  });

  it("opens nothing when the text changed after Enter, or the menu was closed", async () => {
    const { page, held, release } = await openHeld();
    await page.keyboard.type("diar");
    await page.keyboard.press("Enter");
    await page.keyboard.type("x");
    await untilAsked(page, held, "diarx");
    await release();
    await page.locator(".jump-status", { hasText: "Nothing" }).waitFor();
    await page.fill(".jump-dialog input", "boo");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await release();
    await page.waitForTimeout(300);

    expect(new URL(page.url()).pathname).to.equal("/library");
  });

  it("closes with one Escape, and returns the focus", async () => {
    const page = await session.open("/library");
    await page.locator(".jump-button").press("Control+k");
    await page.locator(SELECTED).waitFor();
    await page.keyboard.type("diar");
    await page.locator(SELECTED, { hasText: "diaries" }).waitFor();
    await page.keyboard.press("Escape");

    expect(await page.locator(".jump-dialog[open]").count()).to.equal(0);
    expect(await page.evaluate("document.activeElement.className")).to.include("jump-button");
  });

  it("says that the server does not answer if it refuses the request", async () => {
    const page = await session.open("/library");
    const body = { ok: false, error: "Too many requests" };
    await page.route("**/-/jump.json*", (route) => route.fulfill({ status: 429, json: body }));
    await page.keyboard.press("Control+k");
    await page.locator(".jump-status", { hasText: "The server does not answer" }).waitFor();
  });

  it("is not opened by a slash that is typed into the editor for SQL", async () => {
    const page = await session.open("/library?sql=select+1");
    await page.click("textarea.sql");
    await page.locator(".cm-content").waitFor();
    await page.keyboard.type("/2");

    expect(await page.locator("textarea.sql").inputValue()).to.include("/2");
    expect(await page.locator(".jump-dialog[open]").count()).to.equal(0);
  });
});
