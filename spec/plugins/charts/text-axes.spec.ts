import { expect } from "chai";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table films (id integer primary key, title text, genre text, votes integer);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
  insert into films
    select i, 'The film with the number ' || i, 'Documentary about ' || (i % 4), i * 7 % 500 from n;
`;
const PICTURE = ".chart-picture svg[role=img]";

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The boxes of the texts of an axis, in the order of the page, those of the picture first. */
const boxes = (selector: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(`${PICTURE}, ${PICTURE} ${selector} text`)})]
    .filter((one) => one.tagName === "svg" || one.textContent !== "")
    .map((one) => one.getBoundingClientRect())
    .map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))`;

describe("the axis of a column of texts", () => {
  const session = inBrowser({ sql: SQL });

  for (const width of [1280, 390]) {
    for (const mark of ["line", "scatter"]) {
      it(`has as many names as have room below a ${mark} chart of ${width} pixels`, async () => {
        const page = await session.open(`/library/films#chart=${mark}&x=title&y=votes`, { width });
        await page.locator(PICTURE).waitFor();
        const [, ...names] = await page.evaluate<Box[]>(boxes(".chart-x-axis-tick-label"));

        expect(names.length).to.be.within(1, 12);
        for (const [index, { right }] of names.entries())
          expect(names[index + 1]?.left ?? Infinity).to.be.at.least(right);
      });
    }

    it(`shows whole names beside a picture of ${width} pixels, and none under another`, async () => {
      const page = await session.open("/library/films#chart=scatter&x=votes&y=genre", { width });
      await page.locator(PICTURE).waitFor();
      const [picture, ...names] = await page.evaluate<Box[]>(boxes(".chart-y-axis-tick-label"));
      const [, title] = await page.evaluate<Box[]>(boxes(".chart-y-axis-label"));

      expect(names).to.have.length(4);
      for (const { left, top } of names) {
        expect(left).to.be.at.least(picture?.left ?? Infinity);
        expect(top).to.be.at.least(title?.bottom ?? Infinity);
      }
    });
  }

  it("has some of many names beside a picture, with room between them", async () => {
    const page = await session.open("/library/films#chart=scatter&x=votes&y=title");
    await page.locator(PICTURE).waitFor();
    const [, ...names] = await page.evaluate<Box[]>(boxes(".chart-y-axis-tick-label"));

    expect(names.length).to.be.within(5, 40);
    for (const [index, { bottom }] of names.entries())
      expect(names[index + 1]?.top ?? Infinity).to.be.at.least(bottom - 4);
  });
});
