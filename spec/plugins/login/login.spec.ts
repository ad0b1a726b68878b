import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

describe("the one-time login link", () => {
  it("signs root in, once", async () => {
    const rowhouse = await rowhouseFor({ options: { root: true } });
    const path = rowhouse.rowhouse.service("login").rootUrlPath() ?? "";

    const first = await rowhouse.get(path);
    const cookie = first.headers["set-cookie"]?.[0] ?? "";
    const signedIn = await rowhouse.get("/-/actor.json", { headers: { cookie: cookie.split(";")[0] ?? "" } });
    const second = await rowhouse.get(path);

    expect([first.status, first.headers.location]).to.deep.equal([302, "/"]);
    expect(cookie).to.match(/; Path=\/; SameSite=lax; HttpOnly$/);
    expect(signedIn.json).to.deep.equal({ actor: { id: "root" } });
    expect(second.status).to.equal(403);
    expect(second.text).to.contain("Root token has already been used");
  });

  it("is not used up by looking ahead", async () => {
    const rowhouse = await rowhouseFor({ options: { root: true } });
    const path = rowhouse.rowhouse.service("login").rootUrlPath() ?? "";

    const prefetch = await rowhouse.get(path, { headers: { "sec-purpose": "prefetch" } });

    expect(prefetch.headers["set-cookie"]).to.equal(undefined);
    expect((await rowhouse.get(path)).status).to.equal(302);
  });

  it("just goes home for somebody who is root already", async () => {
    const rowhouse = await rowhouseFor({ options: { root: true } });
    const path = rowhouse.rowhouse.service("login").rootUrlPath() ?? "";

    expect((await rowhouse.get(path, { as: "root" })).headers.location).to.equal("/");
    expect((await rowhouse.get(path)).status).to.equal(302);
  });

  for (const path of ["/-/auth-token", "/-/auth-token?token=", "/-/auth-token?token=wrong"]) {
    it(`does not open for ${path}`, async () => {
      const rowhouse = await rowhouseFor({ options: { root: true } });

      const reply = await rowhouse.get(path);

      expect(reply.status).to.equal(403);
      expect(reply.text).to.contain("Invalid token");
    });
  }

  it("does not exist on a server that was not asked for it", async () => {
    const rowhouse = await rowhouseFor({});

    expect(rowhouse.rowhouse.service("login").rootUrlPath()).to.equal(null);
    expect((await rowhouse.get("/-/auth-token?token=undefined")).text).to.contain("Invalid token");
  });
});

describe("logging out", () => {
  it("asks who is signed in, and sends others home", async () => {
    const rowhouse = await rowhouseFor({});

    const asked = await rowhouse.get("/-/logout", { as: { id: "ann", display: "<Ann>" } });
    const anonymous = await rowhouse.get("/-/logout");

    expect(asked.status).to.equal(200);
    expect(asked.text).to.contain("<strong>&lt;Ann&gt;</strong>");
    expect([anonymous.status, anonymous.headers.location]).to.deep.equal([302, "/"]);
  });

  it("removes the cookie and says so on the next page", async () => {
    const rowhouse = await rowhouseFor({});

    const { status, headers } = await rowhouse.post("/-/logout", { as: "ann", form: {} });

    const cookies = headers["set-cookie"] ?? [];
    const message = cookies.find((text) => text.startsWith("rowhouse_messages="))?.split(/[=;]/)[1] ?? "";
    expect([status, headers.location]).to.deep.equal([302, "/"]);
    expect(cookies.find((text) => text.startsWith("rowhouse_actor="))).to.match(
      /^rowhouse_actor=""; expires=.*; Max-Age=0; Path=\/; SameSite=lax/,
    );
    expect(rowhouse.rowhouse.unsign(message, "messages")).to.deep.equal([["You are now logged out", 2]]);
  });
});
