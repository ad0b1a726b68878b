import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const FORM = "application/x-www-form-urlencoded";

describe("a link or button that signs in", () => {
  it("works once, and not for prefetching or in a frame", async () => {
    const rowhouse = await rowhouseFor({ options: { root: true } });
    const path = rowhouse.rowhouse.service("login").rootUrlPath() ?? "";

    for (const purpose of ["prefetch", "prefetch;prerender", "prefetch;anonymous-client-ip"]) {
      const reply = await rowhouse.get(path, { headers: { "sec-purpose": purpose } });
      expect(reply.headers["set-cookie"]).to.equal(undefined);
    }
    expect((await rowhouse.request("HEAD", path)).headers["set-cookie"]).to.equal(undefined);
    const first = await rowhouse.get(path);
    expect(first.headers["set-cookie"]?.join()).to.contain("SameSite=lax");
    expect(first.headers["cache-control"]).to.equal("no-store");
    expect((await rowhouse.get(path)).status).to.equal(403);
    expect((await rowhouse.get(`${path}x`)).status).to.equal(403);
  });
});

describe("a request with a cookie that another site could have made", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { databases: { library: { queries: { empty: { sql: "delete from books", write: true } } } } },
    });
  });

  const insert = '{"row": {"id": 2}}';
  const attempts: readonly (readonly [
    how: string,
    path: string,
    headers: Record<string, string>,
    body: string,
  ])[] = [
    ["a form", "/library/empty", { "content-type": FORM }, "a=b"],
    ["a form with a token it made up", "/library/empty", { "content-type": FORM }, "csrftoken=abc.def"],
    ["a form with a method in a field", "/library/empty", { "content-type": FORM }, "_method=DELETE"],
    ["JSON as plain text", "/library/books/-/insert", { "content-type": "text/plain" }, insert],
    ["JSON as a form", "/library/books/-/insert", { "content-type": FORM }, insert],
    [
      "JSON in parts",
      "/library/books/-/insert",
      { "content-type": "multipart/form-data; boundary=x" },
      `--x\r\n\r\n${insert}\r\n--x--`,
    ],
    ["JSON without a type", "/library/books/-/insert", {}, insert],
    [
      "JSON with two types",
      "/library/books/-/insert",
      { "content-type": "text/plain; application/json" },
      insert,
    ],
    [
      "JSON from elsewhere",
      "/library/books/-/insert",
      { "content-type": "application/json", origin: "https://evil.example" },
      insert,
    ],
    [
      "JSON from no origin",
      "/library/books/-/insert",
      { "content-type": "application/json", origin: "null" },
      insert,
    ],
    [
      "JSON from a sister",
      "/library/books/-/insert",
      { "content-type": "application/json", "sec-fetch-site": "same-site" },
      insert,
    ],
    [
      "JSON from another port",
      "/library/books/-/insert",
      { "content-type": "application/json", origin: "http://127.0.0.1:1" },
      insert,
    ],
    ["a token page's form", "/-/create-token", { "content-type": FORM }, "expire_type="],
    [
      "a bearer token that no handler accepts",
      "/library/empty",
      { "content-type": FORM, authorization: "Bearer rhtok_a.b" },
      "",
    ],
  ];
  for (const [how, path, headers, body] of attempts) {
    it(`is refused: ${how}`, async () => {
      const reply = await rowhouse.post(path, { as: "root", headers, body });

      expect(reply.status).to.equal(403);
      expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1 }]);
    });
  }

  for (const header of ["x-http-method-override", "x-http-method", "x-method-override"]) {
    it(`is a GET when it is one, whatever ${header} says`, async () => {
      const reply = await rowhouse.get("/library/empty", { as: "root", headers: { [header]: "POST" } });

      expect(reply.status).to.equal(200);
      expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1 }]);
    });
  }

  it("passes with a bearer token, which no other site has", async () => {
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    const headers = { "content-type": "application/json", origin: "https://tool.example" };

    const reply = await rowhouse.post("/library/books/-/insert", { token, headers, body: insert });

    expect(reply.status).to.equal(201);
  });
});

describe("cross-origin sharing", () => {
  it("is for all sites, and therefore never with cookies", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { cors: true } });
    const asking = { origin: "https://evil.example", "access-control-request-private-network": "true" };

    for (const method of ["GET", "OPTIONS", "HEAD"]) {
      const { headers } = await rowhouse.request(method, "/library/books.json", {
        as: "root",
        headers: asking,
      });
      expect(headers["access-control-allow-origin"]).to.equal("*");
      expect(headers["access-control-allow-credentials"]).to.equal(undefined);
      expect(headers["access-control-allow-private-network"]).to.equal(undefined);
    }
  });

  it("is absent unless it is switched on, also in preflight replies", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
    const { headers } = await rowhouse.request("OPTIONS", "/library/books.json", {
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });

    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).to.deep.equal([]);
  });
});

describe("pages with buttons", () => {
  const pages = [
    "/",
    "/library/books",
    "/library/books/1",
    "/-/create-token",
    "/-/logout",
    "/-/permissions",
    "/library/nosuch",
  ];
  for (const path of pages) {
    it(`can't be framed by another site: ${path}`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

      const { headers } = await rowhouse.get(path, { as: "root" });

      expect(headers["content-security-policy"]).to.contain("frame-ancestors 'none'");
      expect(headers["x-frame-options"]).to.equal("DENY");
    });
  }
});
