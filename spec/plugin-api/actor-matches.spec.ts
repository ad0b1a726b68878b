import { expect } from "chai";
import * as fc from "fast-check";
import { actorMatches } from "rowhouse/plugin-api/access";
import type { Actor } from "rowhouse/plugin-api";

type Case = readonly [actor: Actor | null, allow: unknown, matches: boolean];

const cases: readonly Case[] = [
  [null, true, true],
  [null, false, false],
  [null, null, true],
  [null, {}, false],
  [{ id: "root" }, true, true],
  [{ id: "root" }, false, false],
  [{ id: "root" }, null, true],
  [{ id: "root" }, {}, false],
  [null, { id: "root" }, false],
  [{ id: "root" }, { id: "root" }, true],
  [{ id: "root" }, { id: ["a", "root"] }, true],
  [{ id: "x" }, { id: ["a", "root"] }, false],
  [{ id: "x" }, { id: "*" }, true],
  [{ id: "" }, { id: "*" }, true],
  [{ id: null }, { id: "*" }, true],
  [null, { id: "*" }, false],
  [{ name: "x" }, { id: "*" }, false],
  [{ id: "x" }, { id: ["*"] }, false],
  [{ id: null }, { id: null }, false],
  [null, { unauthenticated: true }, true],
  [{ id: "x" }, { unauthenticated: true }, false],
  [{}, { unauthenticated: true }, false],
  [null, { unauthenticated: "yes" }, false],
  [null, { unauthenticated: 1 }, false],
  [null, { unauthenticated: false }, false],
  [null, { id: "root", unauthenticated: true }, true],
  [{ id: "x" }, { id: "root", unauthenticated: true }, false],
  [{ roles: ["staff", "dev"] }, { roles: ["dev"] }, true],
  [{ roles: ["staff", "dev"] }, { roles: "dev" }, true],
  [{ roles: "dev" }, { roles: ["dev"] }, true],
  [{ roles: ["staff"] }, { roles: ["dev"] }, false],
  [{ roles: [] }, { roles: "*" }, true],
  [{ roles: [] }, { roles: [] }, false],
  [{ id: 1 }, { id: "1" }, false],
  [{ id: 1 }, { id: true }, false],
  [{ id: 1 }, { id: 1.0 }, true],
  [{ id: "x", role: "ops" }, { id: ["a"], role: "ops" }, true],
  [{ staff: true }, { staff: true }, true],
  [{ team: { name: "a", no: 1 } }, { team: { no: 1, name: "a" } }, true],
  [{ team: { name: "a", no: 1 } }, { team: { name: "a" } }, false],
  [{ id: "x" }, "x", false],
  [{ id: "x" }, 1, false],
  [{ id: "x" }, ["x"], false],
  [{ id: "x" }, { constructor: "*" }, false],
  [{ id: "x" }, JSON.parse('{"__proto__": "*"}'), false],
];

describe("an allow block", () => {
  for (const [actor, allow, matches] of cases) {
    it(`${JSON.stringify(allow)} ${matches ? "admits" : "keeps out"} ${JSON.stringify(actor)}`, () => {
      expect(actorMatches(actor, allow)).to.equal(matches);
    });
  }

  it("matches only actors that it names, for blocks of any shape", () => {
    const anyActor = fc.option(fc.dictionary(fc.constantFrom("id", "role"), fc.jsonValue()));
    const block = fc.dictionary(fc.constantFrom("team", "staff"), fc.jsonValue());

    fc.assert(fc.property(anyActor, block, (actor, allow) => !actorMatches(actor, allow)));
  });
});
