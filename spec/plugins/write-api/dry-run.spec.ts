import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const BOOKS = { tables: { books: [{ id: 1, title: "Emma" }] } };

describe("A write that can't only be tried", () => {
  const writes: Readonly<Record<string, object>> = {
    "/library/books/1/-/delete": { dry_run: true },
    "/library/books/1/-/update": { update: { title: "Kim" }, dry_run: true },
    "/library/books/-/insert": { row: { id: 2 }, dry_run: true },
    "/library/books/-/upsert": { rows: [{ id: 1, title: "Kim" }], dry_run: true },
  };
  for (const [path, json] of Object.entries(writes))
    it(`is refused with dry_run, and writes nothing: ${path}`, async () => {
      const rowhouse = await rowhouseFor(BOOKS);

      const { status, text } = await rowhouse.post(path, { as: "root", json });

      expect(status, text).to.equal(400);
      expect(text).to.include("dry_run");
      expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "Emma" }]);
    });

  it("is refused only if dry_run is true", async () => {
    const rowhouse = await rowhouseFor(BOOKS);

    const { json } = await rowhouse.post("/library/books/1/-/delete", {
      as: "root",
      json: { dry_run: false },
    });

    expect(json).to.deep.equal({ ok: true });
    expect(await rowhouse.rows("books")).to.deep.equal([]);
  });
});

it("A drop with dry_run says what would be lost, also if it is confirmed", async () => {
  const rowhouse = await rowhouseFor(BOOKS);

  const { json } = await rowhouse.post("/library/books/-/drop", {
    as: "root",
    json: { confirm: true, dry_run: true },
  });

  expect(json).to.include({ ok: true, table: "books", row_count: 1 });
  expect(await rowhouse.rows("books")).to.have.length(1);
});
