import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import isbnLinks from "rowhouse-plugin-isbn-links";
import rowLinks from "rowhouse-plugin-row-links";

const books = [
  { id: 1, isbn: "978-0-14-143958-7" },
  { id: 2, isbn: "080442957X" },
  { id: 3, isbn: "978-0-14-143958-8" },
];

describe("isbn-links", () => {
  it("links valid numbers only", async () => {
    const rowhouse = await rowhouseFor({ tables: { books }, plugins: [rowLinks, isbnLinks] });
    const page = async (id: number): Promise<string> => (await rowhouse.get(`/library/books/${id}`)).text;

    expect(await page(1)).to.include("https://openlibrary.org/isbn/9780141439587");
    expect(await page(2)).to.include("https://openlibrary.org/isbn/080442957X");
    expect(await page(3)).not.to.include("openlibrary");
  });

  it("stops the start without the plugin whose hook it taps", async () => {
    const failure = await rowhouseFor({ plugins: [isbnLinks] }).catch((error: Error) => error);

    expect(String(failure)).to.include("Plugin isbn-links taps an unknown hook: row_links");
  });
});
