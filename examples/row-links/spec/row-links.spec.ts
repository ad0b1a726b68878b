import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";
import rowLinks from "rowhouse-plugin-row-links";

const towns = [{ id: 1, name: "Bath & Wells", code: "b/1" }];

const page = async (...plugins: readonly Plugin[]): Promise<string> =>
  (await (await rowhouseFor({ tables: { towns }, plugins: [rowLinks, ...plugins] })).get("/library/towns/1"))
    .text;

const maps = definePlugin({
  name: "maps",
  row_links: (_rowhouse, { table, row }) =>
    table === "towns"
      ? {
          href: `https://maps.example/${encodeURIComponent(String(row["code"]))}`,
          label: `Map of ${String(row["name"])}`,
        }
      : null,
});

describe("row-links", () => {
  it("lists the links of all plugins", async () => {
    expect(await page(maps)).to.include(
      '<a href="https://maps.example/b%2F1" rel="noreferrer">Map of Bath &amp; Wells</a>',
    );
  });

  it("does not change the page without links", async () => {
    expect(await page()).not.to.include("Links about this row");
  });

  it("leaves out addresses that run scripts, and plugins that fail", async () => {
    const text = await page(
      definePlugin({ name: "script", row_links: () => ({ href: "javascript:alert(1)", label: "Click" }) }),
      definePlugin({ name: "failing", row_links: () => Promise.reject(new Error("no")) }),
      maps,
    );

    expect(text).to.include("Map of").and.not.to.include("javascript:");
  });

  it("gives plugins nothing that is hidden from the actor", async () => {
    const privacy = definePlugin({
      name: "privacy",
      read_scope: () => ({ table: "towns", hiddenColumns: ["code"] }),
    });

    expect(await page(maps, privacy)).to.include("https://maps.example/undefined");
  });
});
