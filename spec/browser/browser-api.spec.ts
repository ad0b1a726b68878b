import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { inBrowser } from "./session.js";

const { default: selectionSums } = (await import(
  new URL("../../../examples/selection-sums/dist/src/index.js", import.meta.url).href
)) as { readonly default: Plugin };

/** A plugin whose script is not bundled: it imports the module that pages serve. */
const counter = definePlugin({
  name: "counter",
  deterministic: true,
  extra_body_script: (_rowhouse, { viewName }) =>
    viewName === "table"
      ? {
          module: true,
          script: `
            import { addToSlot, onPage, rowsOf } from "../static/browser.js";
            onPage("rows-loaded", ({ table }) => (document.body.dataset.rows = rowsOf(table).length));
            onPage("cell-changed", ({ column }) => (document.body.dataset.changed = column));
            addToSlot("row-menu", ({ href }) => [{ label: "Fail", run() { throw new Error("No " + href.at(-1)); } }]);
            addToSlot("row-menu", () => { throw new Error("ignored"); });
          `,
        }
      : null,
});

const SQL = `
  create table books (id integer primary key, title text, price real, stock integer);
  insert into books values (1, 'Emma', 7.5, 3), (2, 'Hamlet', 9.0, -2), (3, 'Lear', 1.25, 4);
`;

describe("the browser API", () => {
  const session = inBrowser({ sql: SQL, plugins: [selectionSums, counter] });

  it("lets a worked plugin add to every slot, for visitors without any permission to write", async () => {
    const page = await session.open("/library/books");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".row-check").nth(3).waitFor();
    await page.click(".toolbar >> text=Sums");
    await page.locator("section.sums >> text=Select rows").waitFor();
    await page.locator(".row-check").nth(1).click();
    await page.locator(".row-check").nth(2).click();

    expect(await page.locator("section.sums dl").innerText()).to.match(/price\s+16.5\s+stock\s+1/);
    await page.click(".selection-bar >> text=Copy as lines");
    await page.locator(".toast >> text=2 lines were copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(
      "1\tEmma\t7.5\t3\n2\tHamlet\t9.0\t-2",
    );
    await page.locator("th.col-stock summary").click();
    await page.click("text=Sum of the selection");
    await page.locator(".toast >> text=stock: 1").waitFor();
    expect(await page.locator("td.is-negative").allTextContents()).to.deep.equal(["-2"]);
    expect(await page.locator(".toolbar >> text=Print").count()).to.equal(1);
    expect(session.complaints).to.deep.equal([]);
  });

  it("tells of changes, and survives scripts that fail", async () => {
    const page = await session.open("/library/books", { as: { id: "root" } });
    const warnings: string[] = [];
    page.on("console", (message) => warnings.push(message.text()));
    await page.locator("table.is-editable").waitFor();
    expect(await page.evaluate("document.body.dataset.rows")).to.equal("3");
    await page.locator("tbody tr:nth-child(1) td.col-stock").dblclick();
    await page.locator("td.is-edited input").fill("-5");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=stock saved").waitFor();
    expect(await page.evaluate("document.body.dataset.changed")).to.equal("stock");
    expect(await page.locator("td.is-negative").allTextContents()).to.deep.equal(["-5", "-2"]);

    await page.locator("tbody .row-menu-button").nth(1).click();
    await page.click("[role=menuitem] >> text=Fail");
    await page.locator(".toast >> text=No 2").waitFor();
    expect(warnings.join()).to.match(/Error: No 2\s+at/);
    expect(session.complaints).to.deep.equal(["Error: ignored"]);
  });

  it("adds to an open menu what a script contributes later", async () => {
    const page = await session.open("/library/books");
    await page.locator("tbody .row-menu-button").first().click();
    await page.locator("[role=menuitem] >> text=Open").waitFor();

    await page.evaluate(
      "import('/-/static/browser.js').then(({ addToSlot }) => addToSlot('row-menu', () => [{ label: 'Late', href: '#' }]))",
    );

    expect(await page.locator("[role=menuitem]").allTextContents()).to.include("Late");
  });

  it("reads the JSON behind a page, and says what is not JSON", async () => {
    const page = await session.open("/library/books?_size=1");
    const read = (address: string) =>
      page.evaluate(
        `import("/-/static/browser.js").then(({ fetchRows }) => fetchRows(${address})).then(({ total }) => total, String)`,
      );

    expect(await read(`document.querySelector('link[type="application/json+rowhouse"]').href`)).to.equal(3);
    expect(await read("location.href")).to.equal("Error: The reply of /library/books is not JSON.");
  });
});
