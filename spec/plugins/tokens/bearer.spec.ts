import { expect } from "chai";
import * as fc from "fast-check";
import { rowhouseFor } from "rowhouse/testing";
import type { Resource } from "rowhouse/plugin-api";

const ACTOR = "/-/actor.json";

describe("a bearer token", () => {
  it("makes its actor", async () => {
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
