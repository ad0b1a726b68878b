import { expect } from "chai";
import { recordShifts, shiftsOf } from "../../browser/layout-shifts.js";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table towns (name text, lat real, lng real);
  insert into towns values ('Bath', 51.38, -2.36), ('Lyme Regis', 50.73, -2.94), ('Nowhere', null, null), ('Odd', 95, 10);
  create table stops (name text, latitude real, longitude real);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
  insert into stops select 'stop ' || i, 50 + i % 7, i % 11 from n;
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
    expect(await page.locator(".map-status").textContent()).to.equal("2 of 4 rows have a place");
    expect(new URL(page.url()).hash).to.equal("#map");
    expect([...asked]).to.deep.equal([session.rowhouse.origin]);
    expect(session.complaints).to.deep.equal([]);
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

  it("follows the address", async () => {
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
