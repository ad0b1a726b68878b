import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

// Any form will do; this one asks no permission.
const FORM = "/-/logout";
const TYPE = "application/x-www-form-urlencoded";

describe("a form that is posted", () => {
  it("passes with the token of its cookie", async () => {
    const rowhouse = await rowhouseFor({});

    expect((await rowhouse.post(FORM, { as: "ann", form: {} })).status).to.equal(302);
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
      "with a bearer token that nobody accepts",
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

  it("passes with the token in a header", async () => {
    const rowhouse = await rowhouseFor({});
    const csrf = rowhouse.rowhouse.sign("0123456789abcdef", "csrf");
    const headers = { cookie: `rowhouse_csrf=${csrf}`, "x-csrftoken": csrf, "content-type": "text/plain" };

    expect((await rowhouse.post(FORM, { headers })).status).to.equal(302);
    expect((await rowhouse.post(FORM, { headers: { ...headers, "x-csrftoken": "x" } })).status).to.equal(403);
  });

  it("passes where a plugin says so", async () => {
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
    expect(withForm.text).to.contain(`value="${cookie?.slice("rowhouse_csrf=".length).split(";")[0]}"`);
    expect(withForm.headers.vary).to.contain("Cookie");
    expect(without.headers["set-cookie"]).to.equal(undefined);
  });
});
