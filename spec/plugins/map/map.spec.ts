import { expect } from "chai";
import { recordShifts, shiftsOf } from "../../browser/layout-shifts.js";
import { inBrowser, violations } from "../../browser/session.js";
import { until } from "../../harness/until.js";

const SQL = `
  create table towns (name text, lat real, lng real);
  insert into towns values ('Bath', 51.38, -2.36), ('Lyme Regis', 50.73, -2.94), ('Nowhere', null, null), ('Odd', 95, 10);
  create table stops (name text, latitude real, longitude real);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
  insert into stops select 'stop ' || i, 50 + i % 7, i % 11 from n;
  create table crowd (name text, lat real, lon real);
  insert into crowd values ('London', 51.5, -0.12), ('Croydon', 51.37, -0.1), ('Toronto', 43.7, -79.4);
  create table pubs (id text primary key, name text, lat real, lon real);
  insert into pubs values ('1/2', 'The Anchor', 51.5, -0.1);
  create table twins (name text, lat real, lon real);
  insert into twins values ('one', 10, 20), ('two', 10, 20);
  create table books (title text);
  insert into books values ('Emma');
`;

describe("the map", () => {
  const session = inBrowser({ sql: SQL });

  it("shows the rows that have a place, and asks no other server", async () => {
    const page = await session.page();
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    await page.goto(`${session.rowhouse.origin}/library/towns`);
    await page.click("text=Map");
    await page.locator(".map-picture svg[role=img]").waitFor();

    expect(await page.locator(".map-dot circle").count()).to.equal(2);
    expect(await page.locator(".map-status").textContent()).to.equal("2 of 4 rows with a place");
    expect(new URL(page.url()).hash).to.equal("#map");
    expect([...asked]).to.deep.equal([session.rowhouse.origin]);
    expect(session.complaints).to.deep.equal([]);
  });

  it("opens above the rows after a chart with a table of its values", async () => {
    const page = await session.open("/library/towns");
    await page.click("text=Chart");
    await page.locator(".chart-values .table-wrapper").waitFor({ state: "attached" });
    await page.click("button.map-button");
    await page.locator("section.map").waitFor({ state: "attached" });

    expect(await page.locator("section.map").isVisible()).to.equal(true);
    expect(await page.locator(".chart section.map").count()).to.equal(0);
  });

  it("labels as many meridians as there is room for, on phones too", async () => {
    const page = await session.page({ width: 390 });
    await page.goto(`${session.rowhouse.origin}/library/crowd#map`);
    await page.locator(".map-picture svg[role=img]").waitFor();
    const labels = await page.locator(".map-grid text", { hasText: /^0°$| [EW]$/ }).all();
    const boxes = (await Promise.all(labels.map((label) => label.boundingBox())))
      .filter((box) => box !== null)
      .toSorted((one, other) => one.x - other.x);
    const gaps = boxes
      .slice(1)
      .map(({ x }, index) => x - (boxes[index]?.x ?? 0) - (boxes[index]?.width ?? 0));

    expect(gaps).not.to.deep.equal([]);
    expect(Math.min(...gaps)).to.be.above(0);
  });

  it("counts one row as one", async () => {
    const page = await session.open("/library/pubs#map");
    await page.locator(".map-picture svg[role=img]").waitFor();

    expect(await page.locator(".map-status").textContent()).to.equal("1 row");
  });

  it("opens from the address, also over SQL", async () => {
    const page = await session.open(
      "/library?sql=select+name,+lat+as+latitude,+lng+as+longitude+from+towns#map",
    );
    await page.locator(".map-picture svg[role=img]").waitFor();

    expect(await page.locator(".map-dot circle").count()).to.equal(2);
  });

  it("warns when it leaves rows out", async () => {
    const page = await session.open("/library/stops#map");
    await page.locator(".map-picture svg[role=img]").waitFor();

    expect(await page.locator(".map [role=status].message-warning").textContent()).to.equal(
      "1,000 places among the first 1,000 of 1,200 rows. Filter the rows to see the others.",
    );
  });

  it("divides marks of several rows when it is zoomed in", async () => {
    const page = await session.open("/library/crowd#map");
    const clusters = page.locator(".map-cluster");
    await clusters.first().waitFor();
    const before = await clusters.allTextContents();
    await clusters.first().click();

    expect(before).to.deep.equal(["2 places2"]);
    expect(await clusters.count()).to.equal(0);
    expect(await page.locator(".map-dot").count()).to.equal(2);

    await page.click("text=Show all");
    expect(await clusters.count()).to.equal(1);
    expect(session.complaints).to.deep.equal([]);
  });

  it("zooms and moves by keys and by the pointer", async () => {
    const page = await session.open("/library/towns#map");
    const land = page.locator(".map-land");
    await land.waitFor();
    const outlines = [await land.getAttribute("d")];
    await page.locator(".map-picture").focus();
    for (const key of ["+", "ArrowRight", "-"]) {
      await page.keyboard.press(key);
      outlines.push(await land.getAttribute("d"));
    }
    await page.locator(".map-picture svg").hover({ position: { x: 300, y: 100 } });
    await page.mouse.down();
    await page.mouse.move(500, 400, { steps: 3 });
    await page.mouse.up();
    await until(async () => (await land.getAttribute("d")) !== outlines.at(-1));

    expect(new Set(outlines)).to.have.property("size", 4);
  });

  it("shows the row of a mark, with a link to its page", async () => {
    const page = await session.open("/library/pubs#map", { bypassPolicy: true });
    await page.locator(".map-dot").first().click();
    const card = page.locator(".map-card");
    await card.waitFor();

    expect(await card.locator("dl").textContent()).to.match(/nameThe Anchor/);
    expect(await violations(page)).to.deep.equal([]);

    await card.locator("text=Open the row").click();
    await page.waitForURL("**/library/pubs/1~2F2");
  });

  it("shows all rows at one place", async () => {
    const page = await session.open("/library/twins#map");
    await page.locator(".map-cluster").click();

    expect(await page.locator(".map-card dl").allTextContents()).to.deep.equal(["nameone", "nametwo"]);

    await page.keyboard.press("Escape");
    expect(await page.locator(".map-card").count()).to.equal(0);
  });

  it("filters the rows of the page by its frame", async () => {
    const page = await session.open("/library/crowd?name__contains=o#map");
    await page.locator(".map-cluster").first().click();
    await page.click("text=Filter by frame");
    await page.waitForURL("**lat__gte=*");
    await page.locator(".map-marks g").first().waitFor();
    const sent = new URL(page.url());

    expect(sent.hash).to.equal("#map");
    expect([...sent.searchParams.keys()]).to.deep.equal([
      "name__contains",
      "lat__gte",
      "lat__lte",
      "lon__gte",
      "lon__lte",
    ]);
    expect(await page.locator(".map-status").textContent()).to.equal("2 rows");
  });

  it("shares the address with a chart, and keeps it open", async () => {
    const page = await session.open("/library/crowd#chart=bar&x=name");
    await page.locator(".chart svg").first().waitFor();
    await page.click("text=Map");
    await page.locator(".map-picture svg[role=img]").waitFor();
    expect(new URL(page.url()).hash).to.equal("#map&chart=bar&x=name");

    await page.reload();
    await page.locator(".map-picture svg[role=img]").waitFor();
    await page.selectOption(".chart select[name=x]", "lat");
    await page.waitForURL("**x=lat*");
    await page.locator(".chart svg").first().waitFor();
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).has("map")).to.equal(true);
    await page.click(".chart >> text=Close");
    expect(new URL(page.url()).hash).to.equal("#map");
  });

  it("is shown and hidden as the address changes", async () => {
    const page = await session.open("/library/towns");
    await page.evaluate("location.hash = '#map'");
    await page.locator(".map-picture svg[role=img]").waitFor();
    await page.goBack();
    await page.locator(".map").waitFor({ state: "hidden" });
    await page.goForward();
    await page.locator(".map").waitFor();

    expect(await page.locator(".map-dot circle").count()).to.equal(2);
  });

  for (const width of [1280, 390]) {
    it(`moves nothing while it comes, on ${width} pixels`, async () => {
      const shifts: number[] = [];
      for (const path of [
        "/library/towns#map",
        "/library/stops#map",
        "/library?sql=select+*+from+stops#map",
      ]) {
        const page = await session.page({ width });
        await recordShifts(page);
        await page.goto(session.rowhouse.origin + path);
        await page.locator(".map-picture svg[role=img]").waitFor();
        shifts.push(await shiftsOf(page));
      }

      expect(Math.max(...shifts), JSON.stringify(shifts)).to.be.below(0.02);
    });
  }

  it("is not offered where nothing has a place", async () => {
    const page = await session.open("/library/books");

    expect(await page.locator(".map-button").count()).to.equal(0);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is accessible in ${colorScheme} colours`, async () => {
      const page = await session.open("/library/towns#map", { bypassPolicy: true, colorScheme });
      await page.locator(".map-picture svg[role=img]").waitFor();

      expect(await violations(page)).to.deep.equal([]);
    });
  }
});
