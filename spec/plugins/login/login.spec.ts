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

  it("redirects to the home page if the actor is root already", async () => {
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

  it("removes the cookie and shows a message on the next page", async () => {
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

describe("/login-as-root", () => {
  it("is absent unless login_as_root is on", async () => {
    const rowhouse = await rowhouseFor({});

    expect((await rowhouse.get("/login-as-root")).status).to.equal(404);
    expect((await rowhouse.post("/login-as-root", { form: {} })).headers["set-cookie"]).to.equal(undefined);
  });

  it("signs in by a button if the setting is on, and logs it at the start", async () => {
    const rowhouse = await rowhouseFor({ settings: { login_as_root: true } });

    const page = await rowhouse.get("/login-as-root");
    const signedIn = await rowhouse.post("/login-as-root", { form: {} });
    const cookie = signedIn.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

    expect([page.status, page.headers["set-cookie"]?.join().includes("rowhouse_actor")]).to.deep.equal([
      200,
      false,
    ]);
    expect([signedIn.status, signedIn.headers.location]).to.deep.equal([302, "/"]);
    expect((await rowhouse.get("/-/actor.json", { headers: { cookie } })).json.actor).to.deep.equal({
      id: "root",
    });
    expect(rowhouse.logged.join()).to.contain("anyone can sign in as root");
  });

  it("can't be pressed from another site", async () => {
    const rowhouse = await rowhouseFor({ settings: { login_as_root: true } });
    const headers = { "sec-fetch-site": "cross-site", "content-type": "application/x-www-form-urlencoded" };

    expect((await rowhouse.post("/login-as-root", { as: "ann", headers, body: "" })).status).to.equal(403);
  });
});

describe("the cookie of a signed-in actor", () => {
  it("has the attribute Secure if the address begins with https", async () => {
    expect(await cookieOf({ settings: { force_https_urls: true } })).to.match(/; Secure/);
    expect(await cookieOf({})).not.to.match(/Secure/);
  });

  it("trusts X-Forwarded-Proto of a proxy on the same machine", async () => {
    expect(await cookieOf({}, { "x-forwarded-proto": "https" })).to.match(/; Secure/);
    expect(await cookieOf({}, { "x-forwarded-proto": "http" })).not.to.match(/Secure/);
  });

  it("is invalid after its expiry, even if the browser still sends it", async () => {
    const rowhouse = await rowhouseFor({});
    const actorOf = async (e: string): Promise<unknown> => {
      const value = rowhouse.rowhouse.sign({ a: { id: "ann" }, e }, "actor");
      return (await rowhouse.get("/-/actor.json", { headers: { cookie: `rowhouse_actor=${value}` } })).json
        .actor;
    };

    expect(await actorOf("BrDCau")).to.equal(null);
    expect(await actorOf("zzzzzzz")).to.deep.equal({ id: "ann" });
    expect(await actorOf("é")).to.equal(null);
  });
});

/** The cookie of a login. */
async function cookieOf(options: object, headers: Record<string, string> = {}): Promise<string> {
  const rowhouse = await rowhouseFor({ ...options, options: { root: true } });
  const path = rowhouse.rowhouse.service("login").rootUrlPath() ?? "";
  return (await rowhouse.get(path, { headers })).headers["set-cookie"]?.[0] ?? "";
}
