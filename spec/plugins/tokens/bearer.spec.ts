import { expect } from "chai";
import * as fc from "fast-check";
import { rowhouseFor } from "rowhouse/testing";
import { definePlugin, type Resource } from "rowhouse/plugin-api";

const ACTOR = "/-/actor.json";

describe("a bearer token", () => {
  it("makes its actor the one of the request", async () => {
    const rowhouse = await rowhouseFor({});
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");

    const { json } = await rowhouse.get(ACTOR, { token });

    expect(json).to.deep.equal({ actor: { id: "ann", token: "rhtok" } });
  });

  it("comes before a cookie, and leaves the cookie in force when it is refused", async () => {
    const rowhouse = await rowhouseFor({});
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");

    const both = await rowhouse.get(ACTOR, { as: "bob", token });
    const refused = await rowhouse.get(ACTOR, { as: "bob", token: `${token}x` });

    expect(both.json.actor.id).to.equal("ann");
    expect(refused.json.actor).to.deep.equal({ id: "bob" });
  });

  it("is read only as `Bearer`, one space, and our prefix", async () => {
    const rowhouse = await rowhouseFor({});
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const actorFor = async (authorization: string): Promise<unknown> =>
      (await rowhouse.get(ACTOR, { headers: { authorization } })).json.actor;

    expect(await actorFor(`Bearer ${token}`)).to.not.equal(null);
    const wrong = [
      `bearer ${token}`,
      `Bearer  ${token}`,
      `Bearer\t${token}`,
      token,
      `Bearer ${token}, Bearer ${token}`,
    ];
    for (const header of [...wrong, `Bearer ${token.slice("rhtok_".length)}`]) {
      expect(await actorFor(header), header).to.equal(null);
    }
    expect((await rowhouse.get(`${ACTOR}?token=${token}`)).json.actor).to.equal(null);
  });

  it("fails with any one character changed", async () => {
    const rowhouse = await rowhouseFor({});
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");

    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === "A" ? "B" : "A";
      const changed = token.slice(0, index) + other + token.slice(index + 1);
      const { actor } = JSON.parse(
        String(
          (await rowhouse.rowhouse.fetch(ACTOR, { headers: { authorization: `Bearer ${changed}` } })).body,
        ),
      );
      // The last character of a signature holds two bits that belong to no byte; the text must match all the same.
      expect(actor, changed).to.equal(null);
    }
  });

  it("is not a cookie, and a cookie is no token", async () => {
    const rowhouse = await rowhouseFor({});
    const cookie = rowhouse.rowhouse.sign({ a: { id: "ann" }, t: 1_700_000_000 }, "actor");
    const token = (await rowhouse.rowhouse.service("tokens").createToken("ann")).slice("rhtok_".length);

    const asToken = await rowhouse.get(ACTOR, { token: `rhtok_${cookie}` });
    const asCookie = await rowhouse.get(ACTOR, { headers: { cookie: `rowhouse_actor=${token}` } });

    expect(asToken.json.actor).to.equal(null);
    expect(asCookie.json.actor).to.equal(null);
  });

  it("is not read at all where signed tokens are off", async () => {
    const rowhouse = await rowhouseFor({ settings: { allow_signed_tokens: false } });
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");

    expect((await rowhouse.get(ACTOR, { token })).json.actor).to.equal(null);
  });

  it("that is ignored is sent to plugins as an event", async () => {
    const rowhouse = await rowhouseFor({});

    await rowhouse.get(ACTOR, { token: "rhtok_abc.def" });
    await rowhouse.get(ACTOR, {
      token: `rhtok_${rowhouse.rowhouse.sign({ a: "ann", t: 1, d: 1 }, "token")}`,
    });

    const reasons = rowhouse.events.map((event) => event.name === "refuse-token" && event.reason);
    expect(reasons).to.deep.equal(["bad signature", "expired"]);
  });
});

describe("an invalid token with the setting refuse_invalid_tokens", () => {
  const contents = { tables: { books: [{ id: 1 }] }, settings: { refuse_invalid_tokens: true } };
  const error = "The API token is not valid. Create a new one, or send the request without it.";

  for (const [reason, payload] of Object.entries({
    forged: null,
    expired: { a: "ann", t: 1, d: 1 },
    malformed: { t: 1 },
    "not valid yet": { a: "ann", t: 99_999_999_999 },
  })) {
    it(`is answered with 401, which does not say that it is ${reason}`, async () => {
      const rowhouse = await rowhouseFor(contents);
      const token = payload === null ? "rhtok_abc.def" : `rhtok_${rowhouse.rowhouse.sign(payload, "token")}`;

      const { status, headers, json } = await rowhouse.get("/library/books.json", { token });

      expect(status).to.equal(401);
      expect(headers["www-authenticate"]).to.equal('Bearer error="invalid_token"');
      expect(json).to.deep.equal({ ok: false, error, status: 401, title: "Unauthorized" });
    });
  }

  it("is answered in the form of the request: of the write API, of a page", async () => {
    const rowhouse = await rowhouseFor(contents);

    const write = await rowhouse.post("/library/books/-/insert", {
      token: "rhtok_a.b",
      json: { row: { id: 2 } },
    });
    const page = await rowhouse.get("/library/books", { token: "rhtok_a.b" });

    expect(write.status).to.equal(401);
    expect(write.json).to.deep.equal({ ok: false, errors: [error] });
    expect(page.status).to.equal(401);
    expect(page.headers).to.include({
      "www-authenticate": 'Bearer error="invalid_token"',
      "content-type": "text/html; charset=utf-8",
    });
    expect(page.text).to.include("<h1>Unauthorized</h1>").and.to.include(error);
    expect(await rowhouse.rows("books")).to.have.length(1);
  });

  it("is refused also where a cookie names an actor, and where no path is", async () => {
    const rowhouse = await rowhouseFor(contents);

    expect((await rowhouse.get(ACTOR, { as: "bob", token: "rhtok_a.b" })).status).to.equal(401);
    expect((await rowhouse.get("/nothing/here", { token: "rhtok_a.b" })).status).to.equal(401);
    expect((await rowhouse.get(ACTOR, { as: "bob" })).json.actor).to.deep.equal({ id: "bob" });
  });

  it("can be read by scripts of other sites", async () => {
    const rowhouse = await rowhouseFor({ ...contents, options: { cors: true } });

    const { headers } = await rowhouse.get(ACTOR, { token: "rhtok_a.b" });

    expect(headers["access-control-allow-origin"]).to.equal("*");
    expect(headers["access-control-expose-headers"]).to.equal("Link, WWW-Authenticate");
  });

  it("counts for the limits", async () => {
    const settings = { ...contents.settings, max_requests: 1 };
    const rowhouse = await rowhouseFor({ settings });

    expect((await rowhouse.get(ACTOR, { token: "rhtok_a.b" })).status).to.equal(401);
    expect((await rowhouse.get(ACTOR, { token: "rhtok_a.b" })).status).to.equal(429);
  });

  it("is only one of ours: valid tokens and those of others are not affected", async () => {
    const rowhouse = await rowhouseFor(contents);
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");

    expect((await rowhouse.get(ACTOR, { token })).json.actor.id).to.equal("ann");
    expect((await rowhouse.get(ACTOR, { token: "other_abc.def" })).json.actor).to.equal(null);
    expect((await rowhouse.get(ACTOR, { headers: { authorization: "Basic YTpi" } })).status).to.equal(200);
  });

  for (const order of ["early", "late"] as const) {
    it(`is accepted if another plugin accepts it (${order})`, async () => {
      const accepting = definePlugin({
        name: "accepting",
        actor_from_request: { order, run: () => ({ id: "cy", token: "own" }) },
      });
      const rowhouse = await rowhouseFor({ ...contents, plugins: [accepting] });

      const { json } = await rowhouse.get(ACTOR, { token: "rhtok_a.b" });

      expect(json.actor).to.deep.equal({ id: "cy", token: "own" });
    });
  }

  it("is ignored where signed tokens are off", async () => {
    const settings = { ...contents.settings, allow_signed_tokens: false };

    const { json } = await (await rowhouseFor({ settings })).get(ACTOR, { token: "rhtok_a.b" });

    expect(json.actor).to.equal(null);
  });
});

describe("what a restricted token may", () => {
  const metadata = {
    databases: {
      library: {
        permissions: { "insert-row": { id: "ann" } },
        tables: { t1: { permissions: { "update-row": { id: "ann" } }, allow: { id: ["ann", "root"] } } },
      },
    },
  };

  it("is never more than its actor may, nor anything it does not list", async () => {
    const rowhouse = await rowhouseFor({ metadata });
    const actions = [...rowhouse.rowhouse.permissions.registered.keys()];
    const name = fc.constantFrom("library", "other", "t1", "t2");
    const listed = fc.array(fc.constantFrom(...actions), { maxLength: 3 });
    const restrictions = fc.record(
      {
        a: listed,
        d: fc.dictionary(name, listed, { maxKeys: 2 }),
        r: fc.dictionary(name, fc.dictionary(name, listed, { maxKeys: 2 }), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    );
    const resource: fc.Arbitrary<Resource> = fc.oneof(
      fc.constant(null),
      name,
      fc.tuple(name, name) as fc.Arbitrary<readonly [string, string]>,
    );
    const id = fc.constantFrom("ann", "root", "bob");

    await fc.assert(
      fc.asyncProperty(
        id,
        restrictions,
        fc.constantFrom(...actions),
        resource,
        async (who, _r, action, place) => {
          const restricted = await rowhouse.rowhouse.permissions.allowed({ id: who, _r }, action, place);
          const free = await rowhouse.rowhouse.permissions.allowed({ id: who }, action, place);
          const isListed = JSON.stringify(_r).includes(`"${action}"`);

          return !restricted || (free && isListed);
        },
      ),
    );
  });

  it("stays refused when another plugin would allow it", async () => {
    const generous = { name: "generous", permission_allowed: () => true };
    const rowhouse = await rowhouseFor({ plugins: [generous] });

    expect(
      await rowhouse.rowhouse.permissions.allowed({ id: "ann" }, "insert-row", ["library", "t1"]),
    ).to.equal(true);
    expect(
      await rowhouse.rowhouse.permissions.allowed({ id: "ann", _r: {} }, "insert-row", ["library", "t1"]),
    ).to.equal(false);
  });
});
