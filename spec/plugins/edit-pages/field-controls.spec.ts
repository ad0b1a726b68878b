import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table makers (id integer primary key, name text);
  insert into makers values (1, 'Acme'), (2, 'Bolt & Co'), (30, 'Bolzano');
  create table products (id integer primary key, name text not null, maker_id integer references makers(id),
    state text check (state in ('new', 'it''s used', 'sold')) default 'new',
    size integer check ("size" in (1, 2, 3) or size is null), active boolean, added date, price real);
  insert into products values (1, 'Anvil', 2, 'sold', 1, 1, '2024-02-29', 9.5), (2, 'Tar', null, null, null, null, 'spring', 1);
`;
const root = { id: "root" };

describe("the control of a field", () => {
  const session = inBrowser({ sql: SQL });

  const form = async (path: string): Promise<string> =>
    (await session.rowhouse.get(`/library/products/${path}`, { as: root })).text;

  it("is a menu for the values that a check allows", async () => {
    const text = await form("1/-/edit");

    expect(text).to.match(
      /<select\s+id="v3"\s+name="v3"[^>]*>[^]*?it&#39;s used[^]*?<option value="sold" selected>/,
    );
    expect(text).not.to.match(/<select\s+id="v4"/);
  });

  it("says that a required value must not be blank, and offers no default", async () => {
    const text = await form("-/new-row");
    const choice = (index: number): string =>
      new RegExp(`<select[^>]*name="b${index}"[^]*?</select>`).exec(text)?.[0].replace(/\s+/g, " ") ?? "";

    expect(choice(1)).to.include('<option value="default" selected>Must not be blank</option>');
    expect(choice(3)).to.include('<option value="default" selected>Default if blank</option>');
  });

  it("is NULL if it is blank in a menu whose check does not allow the empty text", async () => {
    const text = await form("1/-/edit");

    expect(text).to.match(/<select[^>]*name="b3"[^]*?<option value="null" selected>/);
  });

  it("is a menu for booleans, and a calendar for dates that fit", async () => {
    const [edit, other] = [await form("1/-/edit"), await form("2/-/edit")];

    expect(edit).to.match(/<select\s+id="v5"\s+name="v5"[^>]*>[^]*?<option value="1" selected>\s*yes/);
    expect(edit).to.include('<input type="date" id="v6" name="v6" value="2024-02-29"');
    expect(other).to.include('<input type="text" id="v6" name="v6" value="spring"');
    expect(edit).to.include('inputmode="decimal"');
  });

  for (const [type, value, kind] of [
    ["date", "2024-02-30", "text"],
    ["date", "0000-01-01", "text"],
    ["date", "0001-01-01", "date"],
    ["datetime", "2023-02-29 10:00", "text"],
    ["datetime", "2024-01-01 24:00:00", "text"],
    ["datetime", "2024-02-29 23:59:59", "datetime-local"],
  ] as const) {
    it(`of the ${type} ${value} keeps it when the form is saved`, async () => {
      const rowhouse = await rowhouseFor({
        sql: `create table days (id integer primary key, day ${type}); insert into days values (1, '${value}')`,
      });

      const { text } = await rowhouse.get("/library/days/1/-/edit", { as: root });
      await rowhouse.close();

      // Browsers show and send nothing of a day that is in no calendar.
      expect(text).to.include(
        `<input type="${kind}" id="v1" name="v1" value="${value.replace(" ", kind === "text" ? " " : "T")}"`,
      );
    });
  }

  it("shows the label of a reference, and nothing of a table that the actor may not view", async () => {
    expect(await form("1/-/edit")).to.match(/data-label>Bolt &amp; Co</);
    const closed = await rowhouseFor({
      sql: SQL,
      metadata: {
        databases: {
          library: {
            tables: { makers: { allow: false }, products: { permissions: { "update-row": { id: "ann" } } } },
          },
        },
      },
    });
    const { status, text } = await closed.get("/library/products/1/-/edit", { as: "ann" });
    expect(status).to.equal(200);
    expect(text).not.to.include("makers");
    expect(text).not.to.include("Bolt");
  });

  it("finds a referenced row by its label", async () => {
    const page = await session.open("/library/products/2/-/edit", { as: root });
    const field = page.locator(".reference input");
    await page.locator(".reference input[role=combobox]").waitFor();
    await field.fill("bol");
    await page.locator(".reference-list [aria-selected=true] >> text=Bolt & Co").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).to.equal("30");
    expect(await page.locator("[data-label]").textContent()).to.equal("Bolzano");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL((url) => url.pathname === "/library/products/2");
    expect((await session.rowhouse.rows("products"))[1]?.["maker_id"]).to.equal(30);
    expect(session.complaints).to.deep.equal([]);
  });

  it("is accessible with its matches open", async () => {
    const page = await session.open("/library/products/2/-/edit", { as: root, bypassPolicy: true });
    await page.locator(".reference input[role=combobox]").fill("a");
    await page.locator(".reference-list [aria-selected=true]").waitFor();

    expect(await violations(page)).to.deep.equal([]);
  });

  it("is below its caption, as is the value that another client has stored since", async () => {
    const page = await session.open("/library/products/1/-/edit", { as: root, width: 390 });
    await session.rowhouse.post("/library/products/1/-/update", {
      as: root,
      json: { update: { price: 10 } },
    });
    await page.fill("#v7", "11");
    await page.click(".panel button[type=submit]:not(.quiet)");
    const caption = await page.locator(".compared small").first().boundingBox();
    const control = await page.locator(".compared #v7").boundingBox();

    expect(control?.y).to.be.at.least((caption?.y ?? Infinity) + (caption?.height ?? 0));
  });
});
