import { expect } from "chai";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table towns (name text, lat real, lng real);
  insert into towns values ('Bath', 51.38, -2.36), ('Lyme Regis', 50.73, -2.94), ('Nowhere', null, null), ('Odd', 95, 10);
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

  it("is not offered where nothing has a place", async () => {
    const page = await session.open("/library/books");

    expect(await page.locator(".map-button").count()).to.equal(0);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is open to everybody in ${colorScheme} colours`, async () => {
      const page = await session.open("/library/towns#map", { bypassPolicy: true, colorScheme });
      await page.locator(".map-picture svg[role=img]").waitFor();

      expect(await violations(page)).to.deep.equal([]);
    });
  }
});
