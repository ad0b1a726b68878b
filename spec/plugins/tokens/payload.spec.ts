import { expect } from "chai";
import type { TokenGrants } from "rowhouse/plugin-api/contracts";
import { actorOfPayload, payloadOf, RefusedPayload } from "../../../plugins/tokens/payload.js";
import { permissions } from "./vocabulary.js";

const NOW = 1_700_000_000;

describe("the payload of a token, read", () => {
  const accepted = [
    ["an id and a time", { a: "ann", t: NOW }, 0, { id: "ann", token: "rhtok" }],
    ["a lifetime that is not over", { a: "ann", t: NOW - 60, d: 60 }, 0, { token_expires: NOW }],
    ["no lifetime under a limit", { a: "ann", t: NOW - 60 }, 100, { token_expires: NOW + 40 }],
    ["lifetime 0 as none", { a: "ann", t: NOW - 60, d: 0 }, 0, {}],
    [
      "lifetime 0 under a limit as the limit",
      { a: "ann", t: NOW - 60, d: 0 },
      100,
      { token_expires: NOW + 40 },
    ],
    [
      "a longer lifetime cut to the limit",
      { a: "ann", t: NOW - 60, d: 999 },
      100,
      { token_expires: NOW + 40 },
    ],
    [
      "a shorter lifetime below the limit",
      { a: "ann", t: NOW - 60, d: 90 },
      100,
      { token_expires: NOW + 30 },
    ],
    ["a time a minute ahead", { a: "ann", t: NOW + 60 }, 0, {}],
    ["restrictions as they are", { a: "ann", t: NOW, _r: null }, 0, { _r: null }],
    ["unknown keys, which are dropped", { a: "ann", t: NOW, role: "root" }, 0, {}],
  ] as const;
  for (const [title, payload, limit, expected] of accepted) {
    it(`accepts ${title}`, () => {
      const actor = actorOfPayload(payload, NOW, limit);

      expect(actor).to.deep.equal({ id: "ann", token: "rhtok", ...expected });
    });
  }

  const refused: readonly (readonly [title: string, payload: unknown])[] = [
    ["a list", []],
    ["nothing", null],
    ["a text", "ann"],
    ["no id", { t: NOW }],
    ["an id that is a number", { a: 7, t: NOW }],
    ["an id that is an object", { a: { id: "root" }, t: NOW }],
    ["no time", { a: "ann" }],
    ["a time that is true", { a: "ann", t: true }],
    ["a time that is text", { a: "ann", t: String(NOW) }],
    ["a time with a fraction", { a: "ann", t: NOW + 0.5 }],
    ["a time beyond exact whole numbers", { a: "ann", t: 2 ** 63 }],
    ["a negative time", { a: "ann", t: -1 }],
    ["a time 61 seconds ahead", { a: "ann", t: NOW + 61 }],
    ["a lifetime that is over", { a: "ann", t: NOW - 61, d: 60 }],
    ["a negative lifetime", { a: "ann", t: NOW + 30, d: -1 }],
    ["a lifetime that is text", { a: "ann", t: NOW, d: "60" }],
    ["a lifetime that is infinite", { a: "ann", t: NOW, d: Number("1e400") }],
    ["an id that hides in __proto__", JSON.parse(`{"__proto__": {"a": "root"}, "t": ${NOW}}`)],
  ];
  for (const [title, payload] of refused) {
    it(`refuses ${title}`, () => {
      expect(() => actorOfPayload(payload, NOW, 0)).to.throw(RefusedPayload);
    });
  }
});

describe("the payload of a token, made", () => {
  it("holds the id and the time, and nothing about restrictions when there are none", () => {
    expect(made({})).to.equal(`{"a":"ann","t":${NOW}}`);
  });

  it("writes its parts in published order, actions as abbreviations in the order given", () => {
    const payload = made({
      restrictResource: { docs: { café: ["insert-row", "update-row"] } },
      restrictDatabase: { docs: ["view-database", "no-such-action"] },
      restrictAll: ["view-instance"],
      expiresAfter: 3600,
    });

    expect(payload).to.equal(
      `{"a":"ann","t":${NOW},"d":3600,"_r":{"a":["vi"],"d":{"docs":["vd","no-such-action"]},` +
        `"r":{"docs":{"café":["ir","ur"]}}}}`,
    );
  });

  it("takes a database called __proto__ for a name", () => {
    const payload = made({ restrictDatabase: JSON.parse('{"__proto__": ["view-database"]}') });

    expect(payload).to.contain('"_r":{"d":{"__proto__":["vd"]}}');
  });

  it("stays restricted when a list was given that names nothing", () => {
    expect(made({ restrictDatabase: { docs: [] } })).to.contain('"_r":{}');
    expect(made({ restricted: true })).to.contain('"_r":{}');
  });

  for (const expiresAfter of [0, -1, 1.5, NaN, Infinity]) {
    it(`can't expire after ${expiresAfter} seconds`, () => {
      expect(() => made({ expiresAfter })).to.throw(RangeError);
    });
  }
});

const made = (grants: TokenGrants): string =>
  JSON.stringify(payloadOf("ann", grants, { nowSeconds: NOW, permissions }));
