import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";
import authGithub from "rowhouse-plugin-auth-github";
import { CLIENT, identityServer, type IdentityServer } from "./identity-server.js";

const MONA = { id: 7, login: "mona", name: "Mona Lisa", orgs: ["museum", "louvre"] };

describe("auth-github", () => {
  let github: IdentityServer;
  before(async () => {
    github = await identityServer(MONA);
  });
  after(() => github.close());

  const served = (config: object = {}): Promise<TestRowhouse> =>
    rowhouseFor({
      tables: { secrets: [{ id: 1 }] },
      plugins: [authGithub],
      metadata: { databases: { library: { allow: { gh_orgs: "museum" } } } },
      pluginConfig: {
        "auth-github": {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          site: github.url,
          api: github.url,
          organisations: true,
          ...config,
        },
      },
    });

  it("signs users in, with the keys that allow blocks use", async () => {
    const rowhouse = await served();

    const { cookies, callback } = await signIn(rowhouse, "?next=/library/secrets");

    expect(callback.headers.location).to.equal("/library/secrets");
    expect((await rowhouse.get("/-/actor.json", withCookies(cookies))).json.actor).to.deep.equal({
      id: "github:7",
      display: "Mona Lisa",
      gh_login: "mona",
      gh_orgs: ["museum", "louvre"],
    });
    expect((await rowhouse.get("/library/secrets.json", withCookies(cookies))).status).to.equal(200);
    expect((await rowhouse.get("/library/secrets.json")).status).to.equal(403);
  });

  it("signs in only actors that match its allow block", async () => {
    const logins = await served({ allow: { gh_login: ["someone"] } });
    const members = await served({ allow: { gh_orgs: ["louvre"] } });

    const refused = await signIn(logins);

    expect([refused.callback.status, actorCookie(refused.callback)]).to.deep.equal([403, undefined]);
    expect((await signIn(members)).callback.status).to.equal(302);
  });

  it("rejects sign-ins that another browser started, and a code that was used", async () => {
    const rowhouse = await served();
    const { address, cookies } = await leave(rowhouse);
    const other = await leave(rowhouse);
    const back = await comeBack(address);

    const attempts = [
      rowhouse.get(back),
      rowhouse.get(back, withCookies(other.cookies)),
      rowhouse.get(back.replace(/state=[^&]*/, "state=x"), withCookies(cookies)),
      rowhouse.get("/-/github-callback?error=access_denied", withCookies(cookies)),
    ];
    for (const { status, headers } of await Promise.all(attempts)) {
      expect([status, headers["set-cookie"]]).to.deep.equal([403, undefined]);
    }
    expect((await rowhouse.get(back, withCookies(cookies))).status).to.equal(302);
    expect((await rowhouse.get(back, withCookies(cookies))).status).to.equal(403);
  });

  it("sends the verifier, so that a stolen code is useless", async () => {
    const rowhouse = await served();
    const victim = await leave(rowhouse);
    const thief = await leave(rowhouse);
    const code = /code=([^&]*)/.exec(await comeBack(victim.address))?.[1];
    const state = new URL(thief.address).searchParams.get("state");

    const stolen = await rowhouse.get(
      `/-/github-callback?code=${code}&state=${state}`,
      withCookies(thief.cookies),
    );

    expect(stolen.status).to.equal(403);
  });

  it("redirects only to pages of this site", async () => {
    const { callback } = await signIn(await served(), "?next=//evil.example/x");

    expect(callback.headers.location).to.equal("/evil.example/x");
  });

  it("stops the start without its secret, and shows it on no page", async () => {
    const failure = await served({ client_secret: null }).catch((error: Error) => error);
    const rowhouse = await served();
    const pages = ["/-/metadata.json", "/-/plugins.json?all=1", "/-/settings.json", "/"];

    expect(String(failure)).to.include("The configuration of auth-github needs client_secret, a text");
    for (const page of pages) expect((await rowhouse.get(page)).text).not.to.include(CLIENT.secret);
  });
});

const withCookies = (cookies: string) => ({ headers: { cookie: cookies } });

const cookiesOf = ({ headers }: TestReply): string =>
  (headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");

const actorCookie = ({ headers }: TestReply): string | undefined =>
  headers["set-cookie"]?.find((one) => one.startsWith("rowhouse_actor="));

/** The way to GitHub: the address there, and the cookies to come back with. */
async function leave(rowhouse: TestRowhouse, query = ""): Promise<{ address: string; cookies: string }> {
  const reply = await rowhouse.get(`/-/github-sign-in${query}`);
  return { address: reply.headers.location ?? "", cookies: cookiesOf(reply) };
}

/** What GitHub sends the browser back to: path and query. */
async function comeBack(address: string): Promise<string> {
  const { headers } = await fetch(address, { redirect: "manual" });
  const { pathname, search } = new URL(headers.get("location") ?? "");
  return pathname + search;
}

async function signIn(rowhouse: TestRowhouse, query = ""): Promise<{ callback: TestReply; cookies: string }> {
  const { address, cookies } = await leave(rowhouse, query);
  const callback = await rowhouse.get(await comeBack(address), withCookies(cookies));
  return { callback, cookies: cookiesOf(callback) };
}
