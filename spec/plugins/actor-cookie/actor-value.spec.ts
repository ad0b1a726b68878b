import * as fc from "fast-check";
import { expect } from "chai";
import { actorOfValue, actorValue, base62, fromBase62 } from "../../../plugins/actor-cookie/actor-value.js";

const NOW = 1_700_003_600;

describe("the content of the actor cookie", () => {
  it("writes its expiry in base 62", () => {
    expect(actorValue({ id: "root" }, 1_700_003_600)).to.deep.equal({ a: { id: "root" }, e: "BrDCau" });
    expect(base62(1_795_226_660)).to.equal("Bx4a2i");
    expect(base62(0)).to.equal("A");
  });

  it("reads every number back", () => {
    fc.assert(fc.property(fc.maxSafeNat(), (number) => fromBase62(base62(number)) === number));
  });

  const cases: readonly (readonly [title: string, value: unknown, isValid: boolean])[] = [
    ["an actor", { a: { id: "ann" } }, true],
    ["an empty expiry", { a: { id: "ann" }, e: "" }, true],
    ["an expiry to come", { a: { id: "ann" }, e: base62(NOW + 1) }, true],
    ["an expiry in the past", { a: { id: "ann" }, e: base62(NOW - 1) }, false],
    ["an expiry with foreign characters", { a: { id: "ann" }, e: "Br-Cau" }, false],
    ["an expiry without end", { a: { id: "ann" }, e: "z".repeat(1000) }, false],
    ["an expiry that is a number", { a: { id: "ann" }, e: NOW + 1 }, false],
    ["an actor that is empty", { a: {} }, false],
    ["an actor that is text", { a: "root" }, false],
    ["an actor that is a list", { a: ["root"] }, false],
    ["no actor", { id: "root" }, false],
    ["a list", [{ a: { id: "root" } }], false],
    ["nothing", null, false],
  ];
  for (const [title, value, isValid] of cases) {
    it(`with ${title} is ${isValid ? "an actor" : "no actor"}`, () => {
      expect(actorOfValue(value, NOW)).to.deep.equal(isValid ? { id: "ann" } : null);
    });
  }
});
