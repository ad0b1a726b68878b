import { expect } from "chai";
import { inBrowser } from "../../browser/session.js";

describe("A form over plain HTTP, with which browsers send no Sec-Fetch-Site", () => {
  const session = inBrowser({});

  it("is accepted from a page of data, whose header forbids to name a referrer", async () => {
    const { origin, rowhouse } = session.rowhouse;
    const site = origin.replace("127.0.0.1", "rowhouse.test");
    const page = await session.page();
    const value = rowhouse.sign({ a: { id: "ann" } }, "actor");
    await page.context().addCookies([{ name: "rowhouse_actor", value, url: site }]);
    const sent = page.waitForRequest((request) => request.method() === "POST");
    const opened = await page.goto(`${site}/library`);
    expect(opened?.headers()["referrer-policy"]).to.equal("no-referrer");
    await page.evaluate("document.querySelector('form[action=\"/-/logout\"]').submit()");

    const headers = await (await sent).allHeaders();
    expect(headers).to.include({ origin: site }).and.not.have.property("sec-fetch-site");
    await page.waitForURL(`${site}/`);
    const cookies = await page.context().cookies(site);
    expect(cookies.map(({ name }) => name)).to.not.include("rowhouse_actor");
  });
});
