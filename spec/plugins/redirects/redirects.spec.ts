import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";

describe("instead of not found", () => {
  const cases = [
    ["/library/books/?_size=1", "/library/books?_size=1"],
    ["/library/bo%6Fks?title=a%20b", "/library/bo~6Fks?title=a%20b"],
    ["//", "/"],
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

  for (const path of ["/library/nothing/%31", "/nothing/books/%31"]) {
    it(`${path} leads nowhere, since no correction gives the name that is missing`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

      const reply = await rowhouse.get(path);

      expect([reply.status, reply.headers.location]).to.deep.equal([404, undefined]);
    });
  }

  it("keeps the base URL once", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, settings: { base_url: "/data/" } });

    const reply = await rowhouse.get("/data/library/books/");

    expect(reply.headers.location).to.equal("/data/library/books");
  });
});

describe("redirects of plugins and of canned queries", () => {
  const targets = [
    ["//evil.example/x", "/evil.example/x"],
    ["/\\evil.example", "/evil.example"],
    ["\\\\evil.example", "/evil.example"],
    ["/\t/evil.example", "/%09/evil.example"],
    ["/library//books", "/library//books"],
    ["https://login.example/?to=//x", "https://login.example/?to=//x"],
  ] as const;
  for (const [to, location] of targets) {
    it(`${JSON.stringify(to)} leads to ${location}`, async () => {
      const plugin = definePlugin({
        name: "away",
        canned_queries: () => ({
          add: { sql: "insert into books values (2)", write: true, on_success_redirect: to },
        }),
        register_routes: () => ({
          name: "away",
          path: "/-/away",
          target: "instance",
          view: () => reply.redirect(to),
        }),
      });
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [plugin] });

      expect((await rowhouse.get("/-/away")).headers.location).to.equal(location);
      expect((await rowhouse.post("/library/add", { form: {} })).headers.location).to.equal(location);
    });
  }
});
