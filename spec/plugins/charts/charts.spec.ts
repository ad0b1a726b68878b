import { expect } from "chai";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, kind integer references kinds(id), pages integer, added text, tags text);
  insert into books values
    (1, 1, 320, '2024-01-05', '["old"]'), (2, 1, 410, '2024-02-05', '["old", "long"]'),
    (3, 2, 90, '2024-03-05', '[]'), (4, null, 250, '2024-04-05', '["new"]');
  create table members (name text, year integer, count integer);
  insert into members select 'International Organization of ' || letter, year, year
    from (select 'A' as letter union all select 'B'), (select 1 as year union all select 2);
`;

describe("charts", () => {
  const session = inBrowser({ sql: SQL });
  const PICTURE = ".chart-picture svg[role=img]";

  it("suggest something to draw, and keep what is chosen in the address", async () => {
    const page = await session.open("/library/books");
    await page.click("text=Chart");
    await page.locator(PICTURE).waitFor();
    await page.selectOption("select[name=mark]", "bar");
    await page.selectOption("select[name=x]", "kind");
    await page.selectOption("select[name=y]", "pages");

    await page.locator(`${PICTURE}[aria-label="bar chart of sum of pages by kind"]`).waitFor();
    expect(await page.locator(`${PICTURE} text`).allTextContents()).to.include.members([
      "Novel",
      "(null)",
      "Play",
      "sum of pages →",
    ]);
    expect(new URL(page.url()).hash).to.equal("#chart=bar&x=kind&y=pages");
    expect(session.complaints).to.deep.equal([]);
  });

  for (const mark of ["bar", "line", "scatter", "histogram"] as const) {
    it(`are drawn as ${mark} from the address alone`, async () => {
      const y = mark === "histogram" ? "" : "&y=pages";
      const x = mark === "line" ? "added" : mark === "bar" ? "kind" : "pages";
      const page = await session.open(`/library?sql=select+*+from+books#chart=${mark}&x=${x}${y}`);
      await page.locator(PICTURE).waitFor();

      const shapes = { bar: ".chart-bar rect", line: ".chart-line path" };
      const shape = { ...shapes, scatter: ".chart-dot circle", histogram: ".chart-rect rect" }[mark];
      expect(await page.locator(`${PICTURE} ${shape}`).count()).to.be.greaterThan(0);
      expect(session.complaints).to.deep.equal([]);
    });
  }

  it("have a colour for each value, also for long names that begin with the same words", async () => {
    const page = await session.open("/library/members#chart=line&x=year&y=count&color=name");
    await page.locator(PICTURE).waitFor();

    expect(await page.locator("section.chart [class*=swatches] > span").allTextContents()).to.deep.equal([
      "International Organization o…",
      "International Organization o…",
    ]);
    expect(await page.locator(`${PICTURE} .chart-line path`).count()).to.be.at.least(2);
  });

  it("show the values of a facet with the counts of the whole table", async () => {
    const page = await session.open("/library/books?_facet_array=tags");
    await page.click(".facet-chart");
    await page.locator(PICTURE).waitFor();

    expect(await page.locator(`${PICTURE} text`).allTextContents()).to.include.members([
      "old",
      "long",
      "new",
    ]);
    expect(new URL(page.url()).hash).to.equal("#chart=bar&x=tags&facet=array");
  });

  it("say what is missing where nothing can be drawn", async () => {
    const page = await session.open("/library/books#chart=histogram&x=tags");
    await page.locator(".chart-status", { hasText: "tags" }).waitFor();

    expect(await page.locator(PICTURE).count()).to.equal(0);
  });

  it("say to load the page again if their script is gone, as after an update of the server", async () => {
    const page = await session.open("/library/books");
    const script = "**/static-plugins/charts/panel-*.js";
    await page.route(script, (route) => route.fulfill({ status: 404 }));
    await page.click(".chart-button");
    await page.locator(".toast", { hasText: "could not be loaded. Load the page again." }).waitFor();

    expect(await page.locator("section.chart").isVisible()).to.equal(false);
  });

  it("survive a change of filters", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind");
    await page.locator(PICTURE).waitFor();
    await page.click(".filter-menu > summary");
    await page.selectOption("select[name=_filter_column]", "pages");
    await page.selectOption("select[name=_filter_op]", "gt");
    await page.fill("input[name=_filter_value]", "300");
    await page.click("text=Apply");
    await page.waitForURL(/pages__gt=300/);
    await page.locator(PICTURE).waitFor();

    expect(await page.locator(`${PICTURE} text`).allTextContents()).not.to.include("Play");
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`are accessible in ${colorScheme} colours`, async () => {
      const page = await session.open("/library/books#chart=bar&x=kind&color=kind", {
        bypassPolicy: true,
        colorScheme,
      });
      await page.locator(PICTURE).waitFor();

      expect(await violations(page)).to.deep.equal([]);
    });
  }
});
