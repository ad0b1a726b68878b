import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

describe("instead of not found", () => {
  const cases = [
    ["/library/books/?_size=1", "/library/books?_size=1"],
    ["/library/bo%6Fks?title=a%20b", "/library/bo~6Fks?title=a%20b"],
    ["//evil.example/", "/evil.example"],
    ["/%5cevil", "/~5cevil"],
  ] as const;
  for (const [path, location] of cases) {
    it(`${path} leads to ${location}`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

      const reply = await rowhouse.get(path);

      expect(reply.status).to.equal(302);
      expect(reply.headers.location).to.equal(location);
    });
  }

  it("keeps the base URL once", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, settings: { base_url: "/data/" } });

    const reply = await rowhouse.get("/data/library/books/");

    expect(reply.headers.location).to.equal("/data/library/books");
  });
});
