import { expect } from "chai";
import type { Page } from "playwright-core";
import { tildeEncode } from "rowhouse/plugin-api/http";
import { ALARM, ATTACKS, attackMetadata, attackSql } from "./attacks.js";
import { inBrowser } from "./session.js";

const tablePaths = ATTACKS.map((attack) => `/library/${tildeEncode(attack)}`);
const worst = ATTACKS[4] ?? "";
const asArgument = encodeURIComponent(worst);
const TABLE_TOOLS = ["columns", "new-row", "import", "structure", "remove"];
const PAGES = [
  "/",
  "/library",
  ...tablePaths,
  ...tablePaths.slice(0, 8).flatMap((path) => [`${path}/1`, `${path}/2`]),
  ...tablePaths
    .slice(0, 5)
    .flatMap((path) => TABLE_TOOLS.map((tool) => `${path}/-/${tool}`).concat(`${path}/1/-/edit`)),
  ...tablePaths.slice(0, 3).map((path) => `${path}/1/-/remove`),
  ...ATTACKS.slice(0, 8).map((attack) => `/library/${tildeEncode(`query ${attack}`)}?p=${asArgument}`),
  ...ATTACKS.slice(0, 4).map((attack) => `/library/${tildeEncode(`view ${attack}`)}`),
  `/library?sql=${encodeURIComponent(`select '${worst}' as "${worst}", :p`)}&p=${asArgument}`,
  `/library?sql=${asArgument}`,
  `${tablePaths[0]}?_search=${asArgument}&${asArgument}=1&id__exact=${asArgument}`,
  `${tablePaths[0]}?_where=${encodeURIComponent(`1=1 or '${worst}'=''`)}&_facet=id`,
  `/library/${tildeEncode(worst)}/${tildeEncode(worst)}`,
  `/${tildeEncode(worst)}`,
  `/-/api?path=${asArgument}`,
  `/-/api?path=${encodeURIComponent(`${tablePaths[0]}.json`)}`,
  `/-/jump?q=${asArgument}`,
  "/-/create-token",
  "/-/tokens",
  "/-/actions",
  "/-/openapi",
  "/-/permissions",
  `/-/check?actor=${encodeURIComponent('{"id":1}')}&action=view-table&parent=library&child=${asArgument}`,
  "/-/allowed?action=view-table&page_size=200",
  `/-/allowed?actor=${encodeURIComponent('{"id":1}')}&action=view-query&parent=library&child=${asArgument}`,
  "/-/rules?action=view-table",
  `/-/allow-debug?actor=${asArgument}&allow=${asArgument}`,
  "/-/messages",
  "/-/logout",
  "/-/metadata",
  "/-/databases",
  "/-/actor",
];
const FORMATS = [
  `${tablePaths[0]}.json`,
  `${tablePaths[1]}.json?_labels=on&_shape=objects&_facet=id`,
  `${tablePaths[2]}.json?_shape=array&_nl=on`,
  `${tablePaths[3]}.csv?_labels=on`,
  `${tablePaths[4]}/1.json`,
  `/library.json`,
  `/.json`,
  `/library/missing.json?${asArgument}`,
  `/-/jump.json?q=script`,
  `/-/metadata.json`,
];
/** Marks of markup that came out of data. */
const LEAKS = `[...document.querySelectorAll("*")].flatMap((element) => {
  const attributes = element.getAttributeNames().filter((name) => name.startsWith("on"));
  const link = element.getAttribute("href") ?? element.getAttribute("action") ?? "";
  const isOdd = attributes.length > 0 || /^\\s*(javascript|data):/i.test(link) ||
    /^\\/\\//.test(link) || element.matches("iframe, base, meta[http-equiv], script:not([src]), style");
  return isOdd ? [element.outerHTML.slice(0, 200)] : [];
})`;

describe("a database full of attacks", () => {
  const session = inBrowser({ sql: attackSql(), metadata: attackMetadata() });
  let page: Page;
  let alarms: string[];

  beforeEach(async () => {
    alarms = [];
    page = await session.page({ as: { id: "root", name: worst } });
    await page.exposeFunction(ALARM, (name: string) => alarms.push(name));
    page.on("dialog", (dialog) => {
      alarms.push(dialog.message());
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(session.rowhouse.origin)) {
        alarms.push(request.url());
      }
    });
  });

  it("renders harmlessly on every page", async () => {
    const odd: string[] = [];
    for (const path of PAGES) {
      const response = await page.goto(session.rowhouse.origin + path);
      const leaks = (await page.evaluate(LEAKS)) as string[];
      odd.push(...leaks.map((leak) => `${path}: ${leak}`));
      if ((response?.status() ?? 500) >= 500) odd.push(`${path}: ${response?.status()}`);
    }

    expect(odd).to.deep.equal([]);
    expect(alarms).to.deep.equal([]);
    expect(session.complaints).to.deep.equal([]);
  }).timeout(300_000);

  it("stays harmless when menus, the jump dialog and the explorer are used", async () => {
    for (const path of tablePaths.slice(0, 6)) {
      await page.goto(session.rowhouse.origin + path);
      for (const menu of await page.locator("details.menu summary").all()) {
        await menu.click();
        await page.keyboard.press("Escape");
      }
      await page.click("button >> text=Chart");
      await page.waitForSelector("main svg text");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("a");
      await page.waitForSelector(".jump-dialog [role=option]");
      await page.keyboard.press("Escape");
    }
    const asked = new URLSearchParams({ method: "GET", path: `${tablePaths[0]}.json` });
    await page.goto(`${session.rowhouse.origin}/-/api#${asked.toString()}`);
    await page.waitForSelector(".api-answer pre");

    expect(await page.evaluate(LEAKS)).to.deep.equal([]);
    expect(alarms).to.deep.equal([]);
    expect(session.complaints).to.deep.equal([]);
  }).timeout(300_000);

  it("is never rendered as a page in other formats, also if a browser guesses the type", async () => {
    const odd: string[] = [];
    for (const path of FORMATS) {
      const { status, headers } = await session.rowhouse.get(path, { as: "root" });
      const type = String(headers["content-type"]);
      if (status >= 500 || /html|xml|svg/.test(type)) odd.push(`${path}: ${status} ${type}`);
      if (headers["x-content-type-options"] !== "nosniff") odd.push(`${path}: may be sniffed`);
      if (!path.includes(".csv")) await page.goto(session.rowhouse.origin + path);
    }

    expect(odd).to.deep.equal([]);
    expect(alarms).to.deep.equal([]);
  });

  it("can be read: the texts are there as they are", async () => {
    await page.goto(`${session.rowhouse.origin}${tablePaths[0]}`);

    expect(await page.locator("h1").textContent()).to.include(ATTACKS[0]);
    expect(await page.locator("td.type-str").first().textContent()).to.include(ATTACKS[0]);
  });
});
