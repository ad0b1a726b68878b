import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

describe("CORS", () => {
  for (const path of ["/library.json", "/library/nope.json", "/library/books.csv", "/library/books/"]) {
    it(`lets other sites read ${path} under --cors`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { cors: true } });

      const { headers } = await rowhouse.get(path);

      expect(headers["access-control-allow-origin"]).to.equal("*");
      expect(headers["access-control-allow-headers"]).to.equal("Authorization, Content-Type");
      expect(headers["access-control-expose-headers"]).to.equal("Link");
      expect(headers["access-control-allow-methods"]).to.equal("GET, POST, HEAD, OPTIONS");
      expect(headers["access-control-allow-credentials"]).to.equal(undefined);
    });
  }

  it("lets a refusal be read too", async () => {
    const rowhouse = await rowhouseFor({ metadata: { allow: false }, options: { cors: true } });

    const reply = await rowhouse.get("/.json");

    expect(reply.status).to.equal(403);
    expect(reply.headers["access-control-allow-origin"]).to.equal("*");
  });

  it("is off unless asked for", async () => {
    const reply = await (await rowhouseFor()).get("/library.json");

    expect(reply.headers["access-control-allow-origin"]).to.equal(undefined);
  });
});
