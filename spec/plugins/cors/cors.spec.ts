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

  it("lets other sites send, and read, what writing once and on a condition takes", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { cors: true } });
    const again = { as: "root", json: { row: { id: 2 } }, headers: { "idempotency-key": "one" } };
    await rowhouse.post("/library/books/-/insert", again);

    const preflight = await rowhouse.request("OPTIONS", "/library/books/1/-/update");
    const version = await rowhouse.get("/library/books/1.json?_extras=version");
    const repeated = await rowhouse.post("/library/books/-/insert", again);

    expect(preflight.status).to.be.within(200, 204);
    expect(preflight.headers["access-control-allow-headers"]).to.equal(
      "Authorization, Content-Type, If-Match, Idempotency-Key",
    );
    expect(version.headers["access-control-expose-headers"]).to.equal("Link, ETag");
    expect(repeated.headers["access-control-expose-headers"]).to.equal("Link, Idempotency-Replayed");
  });

  it("is off unless asked for", async () => {
    const reply = await (await rowhouseFor()).get("/library.json");

    expect(reply.headers["access-control-allow-origin"]).to.equal(undefined);
  });
});
