import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

// Any form will do; this one asks no permission.
const FORM = "/-/logout";
const TYPE = "application/x-www-form-urlencoded";

describe("a form that is posted", () => {
  it("passes with the token of its cookie", async () => {
    const rowhouse = await rowhouseFor({});

    expect((await rowhouse.post(FORM, { as: "ann", form: {} })).status).to.equal(302);
  });

  it("of an earlier session is refused with a page that says what to do", async () => {
    const rowhouse = await rowhouseFor({});
    const headers = { "content-type": TYPE, accept: "text/html,*/*;q=0.8" };

    const own = await rowhouse.post(FORM, { as: "ann", headers, body: "csrftoken=old" });
    const other = await rowhouse.post(FORM, {
      as: "ann",
      headers: { ...headers, origin: "https://evil.example" },
    });

    expect(own.status).to.equal(403);
    expect(own.text)
      .to.include("<main")
      .and.to.include("did not match cookie. The form is from an earlier session.");
    expect([other.status, other.text]).to.deep.equal([403, "Request was made by another site"]);
  });

  const refused = [
    ["without a token", { "content-type": TYPE }, "", "form-urlencoded POST field did not match cookie"],
    [
      "with the wrong token",
      { "content-type": TYPE },
      "csrftoken=x",
      "form-urlencoded POST field did not match cookie",
    ],
    [
      "in parts, without a token",
      { "content-type": "multipart/form-data; boundary=edge" },
      '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--edge--\r\n',
      "multipart/form-data POST field did not match cookie",
    ],
    [
      "in parts, a file first",
      { "content-type": "multipart/form-data; boundary=edge" },
      '--edge\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n1\r\n--edge--\r\n',
      "File encountered before csrftoken - make sure csrftoken is first in the HTML",
    ],
    ["as plain text", { "content-type": "text/plain" }, "{}", "Unknown content-type"],
    ["without a type", {}, "", "Unknown content-type"],
    [
      "with a bearer token that no handler accepts",
      { "content-type": TYPE, authorization: "Bearer rhtok_x.y" },
      "",
      "form-urlencoded POST field did not match cookie",
    ],
    [
      "from another site, says the browser",
      { "content-type": "application/json", "sec-fetch-site": "cross-site" },
      "{}",
      "Request was made by another site",
    ],
    [
      "from a sister site, says the browser",
      { "content-type": "application/json", "sec-fetch-site": "same-site" },
      "{}",
      "Request was made by another site",
    ],
    [
      "from another origin",
      { "content-type": "application/json", origin: "https://evil.example" },
      "{}",
      "Request was made by another site",
    ],
    [
      "from no origin that has a name",
      { "content-type": "application/json", origin: "null" },
      "{}",
      "Request was made by another site",
    ],
  ] as const;
  for (const [title, headers, body, message] of refused) {
    it(`is refused ${title}`, async () => {
      const rowhouse = await rowhouseFor({});

      const reply = await rowhouse.post(FORM, { as: "ann", headers: { ...headers }, body });

      expect(reply.status).to.equal(403);
      expect(reply.text).to.equal(message);
    });
  }

  const passing = [
    ["as JSON", { "content-type": "application/json" }],
    ["as JSON with parameters", { "content-type": "application/json; charset=utf-8" }],
    ["from our own pages", { "content-type": "application/json", "sec-fetch-site": "same-origin" }],
    ["from the address bar", { "content-type": "application/json", "sec-fetch-site": "none" }],
  ] as const;
  for (const [title, headers] of passing) {
    it(`passes ${title}`, async () => {
      const rowhouse = await rowhouseFor({});

      const reply = await rowhouse.post(FORM, { as: "ann", headers: { ...headers }, body: "{}" });

      expect(reply.status).to.equal(302);
    });
  }

  it("passes without cookies, and with an accepted bearer token", async () => {
    const rowhouse = await rowhouseFor({});
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const headers = { "content-type": TYPE };

    expect((await rowhouse.post(FORM, { headers })).status).to.equal(302);
    expect((await rowhouse.post(FORM, { token, headers: { ...headers, cookie: "a=b" } })).status).to.equal(
      302,
    );
  });

  it("is refused from another site if a plugin takes the actor from what browsers send by themselves", async () => {
    const proxy = definePlugin({
      name: "proxy",
      actor_from_request: (_rowhouse, { request }) =>
        request.headers["x-forwarded-user"] === undefined
          ? null
          : { id: request.headers["x-forwarded-user"] },
    });
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins: [proxy] });
    const body = '{"update": {"title": "Ulysses"}}';
    const update = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await rowhouse.post("/library/books/1/-/update", { body, headers })).status;
    const user = { "x-forwarded-user": "root", "content-type": "text/plain" };

    expect(await update({ ...user, "sec-fetch-site": "cross-site" })).to.equal(403);
    expect(await update({ ...user, origin: "https://evil.example" })).to.equal(403);
    expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "Emma" }]);
    for (const others of [
      {},
      { "sec-fetch-site": "same-origin" },
      { origin: rowhouse.origin },
      { origin: "https://app.example", "content-type": "application/json" },
      { origin: "https://app.example", authorization: "Bearer of the plugin" },
    ])
      expect([others, await update({ ...user, ...others })]).to.deep.equal([others, 200]);
  });

  it("passes with the token in a header", async () => {
    const rowhouse = await rowhouseFor({});
    const csrf = rowhouse.rowhouse.sign("0123456789abcdef", "csrf");
    const headers = { cookie: `rowhouse_csrf=${csrf}`, "x-csrftoken": csrf, "content-type": "text/plain" };

    expect((await rowhouse.post(FORM, { headers })).status).to.equal(302);
    expect((await rowhouse.post(FORM, { headers: { ...headers, "x-csrftoken": "x" } })).status).to.equal(403);
  });

  it("is skipped if a plugin returns true", async () => {
    const trusting = { name: "trusting", skip_csrf: () => true as const };
    const rowhouse = await rowhouseFor({ plugins: [trusting] });

    const reply = await rowhouse.post(FORM, { as: "ann", headers: { "content-type": TYPE } });

    expect(reply.status).to.equal(302);
  });
});

describe("the CSRF cookie", () => {
  it("is set, and caches are warned, only where a form was printed", async () => {
    const rowhouse = await rowhouseFor({});

    const withForm = await rowhouse.get(FORM, { as: "ann" });
    const without = await rowhouse.get("/-/allow-debug");

    const cookie = withForm.headers["set-cookie"]?.find((text) => text.startsWith("rowhouse_csrf="));
    expect(cookie).to.match(/^rowhouse_csrf=[\w-]+\.[\w-]+; Path=\/; SameSite=lax/);
    expect(withForm.headers.vary).to.contain("Cookie");
    expect(without.headers["set-cookie"]).to.equal(undefined);
  });

  it("has the attribute Secure if the address begins with https", async () => {
    for (const [contents, headers] of [
      [{ settings: { force_https_urls: true } }, {}],
      [{}, { "x-forwarded-proto": "https" }],
    ] as const) {
      const rowhouse = await rowhouseFor(contents);
      const reply = await rowhouse.get(FORM, { as: "ann", headers });
      expect(reply.headers["set-cookie"]?.join()).to.match(/rowhouse_csrf=[^,]*; Secure/);
    }
  });
});

describe("the token of a form", () => {
  it("is another on each page, the same in all forms of one, and never the cookie's", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = cookieOf(rowhouse, "0123456789abcdef");
    const pages = await Promise.all(
      [1, 2].map(async () => tokensIn((await rowhouse.get(FORM, { as: "ann", headers: { cookie } })).text)),
    );

    const [one = [], two = []] = pages;
    expect(one.length).to.be.greaterThan(1);
    expect(new Set(one).size).to.equal(1);
    expect(one[0]).not.to.equal(two[0]);
    expect(cookie).not.to.include(one[0]);
  });

  it("fits its cookie for as long as that lasts, in a field or a header", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = cookieOf(rowhouse, "0123456789abcdef");
    const older = await shown(rowhouse, cookie);
    const newer = await shown(rowhouse, cookie);
    const headers = { cookie, "content-type": "text/plain", "x-csrftoken": older };

    expect(await post(rowhouse, cookie, older)).to.equal(302);
    expect(await post(rowhouse, cookie, newer)).to.equal(302);
    expect((await rowhouse.post(FORM, { headers })).status).to.equal(302);
  });

  it("may be a part of a form in parts", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = cookieOf(rowhouse, "0123456789abcdef");
    const headers = { cookie, "content-type": "multipart/form-data; boundary=edge" };
    const body = `--edge\r\nContent-Disposition: form-data; name="csrftoken"\r\n\r\n${await shown(rowhouse, cookie)}\r\n--edge--\r\n`;

    expect((await rowhouse.post(FORM, { headers, body })).status).to.equal(302);
  });

  it("may be the cookie's own text", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = cookieOf(rowhouse, "0123456789abcdef");

    expect(await post(rowhouse, cookie, cookie.slice("rowhouse_csrf=".length))).to.equal(302);
  });

  it("fits no other cookie", async () => {
    const rowhouse = await rowhouseFor({});
    const token = await shown(rowhouse, cookieOf(rowhouse, "0123456789abcdef"));

    expect(await post(rowhouse, cookieOf(rowhouse, "fedcba9876543210"), token)).to.equal(403);
    expect(await post(rowhouse, "rowhouse_csrf=forged.token", token)).to.equal(403);
    expect(await post(rowhouse, "rowhouse_csrf=forged.token", "forged.token")).to.equal(403);
    expect(await post(rowhouse, "other=1", token)).to.equal(403);
  });

  it("is refused with any one of its characters changed, missing or added", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = cookieOf(rowhouse, "0123456789abcdef");
    const token = await shown(rowhouse, cookie);
    const changed = [...token].map(
      (character, place) => token.slice(0, place) + (character === "A" ? "B" : "A") + token.slice(place + 1),
    );

    for (const text of [
      ...changed,
      token.slice(1),
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token}`,
    ]) {
      expect(await post(rowhouse, cookie, text), text).to.equal(403);
    }
  });
});

const tokensIn = (page: string): string[] =>
  [...page.matchAll(/name="csrftoken" value="([^"]+)"/g)].map(([, token = ""]) => token);

const cookieOf = (rowhouse: TestRowhouse, text: string): string =>
  `rowhouse_csrf=${rowhouse.rowhouse.sign(text, "csrf")}`;

const post = async (rowhouse: TestRowhouse, cookie: string, token: string): Promise<number> => {
  const headers = { "content-type": TYPE, cookie };
  return (await rowhouse.post(FORM, { headers, body: `csrftoken=${encodeURIComponent(token)}` })).status;
};

const shown = async (rowhouse: TestRowhouse, cookie: string): Promise<string> => {
  const { text, headers } = await rowhouse.get(FORM, { as: "ann", headers: { cookie } });
  expect(headers["set-cookie"]).to.equal(undefined);
  return tokensIn(text)[0] ?? "";
};
