import type { Page } from "playwright-core";

/** Records, from the next page on, how far content moves without a person's doing. */
export async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(
    "globalThis.shifts = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) " +
      "if (!entry.hadRecentInput) globalThis.shifts += entry.value; })" +
      ".observe({ type: 'layout-shift', buffered: true });",
  );
}

/** The sum of all shifts of the page, as browsers score them: 0 is none, 0.1 is the most that passes for good. */
export async function shiftsOf(page: Page): Promise<number> {
  // The entries of a frame are reported after it: two more frames, and the observer has seen them.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.waitForTimeout(100);
  return Number(await page.evaluate("globalThis.shifts"));
}
