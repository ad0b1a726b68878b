import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

describe("The filter column__notcontains", () => {
  it("selects the rows whose text does not contain the value", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ title: "Emma" }, { title: "Persuasion" }, { title: "100% Emma" }] },
    });

    const { status, json } = await rowhouse.get("/library/books.json?title__notcontains=Emma");
    const percent = await rowhouse.get(
      "/library/books.json?title__notcontains=%25&_shape=arrayfirst&_col=title",
    );

    expect([status, json.rows.map((row: unknown[]) => row[1])]).to.deep.equal([200, ["Persuasion"]]);
    expect(json.human_description_en).to.equal('where title does not contain "Emma"');
    expect(percent.status).to.equal(200);
  });
});
