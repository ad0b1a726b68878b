import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import selectionSums from "rowhouse-plugin-selection-sums";

describe("selection-sums", () => {
  it("adds its script and style sheet to tables, and to no other page", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, price: 2 }] },
      plugins: [selectionSums],
    });
    const { text } = await rowhouse.get("/library/books");
    const address = /src="([^"]*selection-sums\/app\.js[^"]*)" type="module"/.exec(text)?.[1] ?? "";

    expect((await rowhouse.get(address)).headers["content-type"]).to.include("javascript");
    expect(text).to.include("selection-sums/sums.css");
    expect((await rowhouse.get("/library/books/1")).text).not.to.include("selection-sums");
  });
});
