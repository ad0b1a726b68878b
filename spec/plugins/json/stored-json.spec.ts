import { expect } from "chai";
import { rewriteJson } from "../../../plugins/json/stored-json.js";

const numbers = { infinity: "null", bigintText: false } as const;

describe("JSON text from a column", () => {
  const cases = [
    ['{"a":[1,2.50],"b" : null}', '{"a": [1, 2.5], "b": null}'],
    ["[9007199254740993, -9223372036854775808]", "[9007199254740993, -9223372036854775808]"],
    ['["é","\\u00e9","a,b:c","\\""]', '["\\u00e9", "\\u00e9", "a,b:c", "\\""]'],
    [String.raw`["a\\", "\\\"b"]`, String.raw`["a\\", "\\\"b"]`],
    [String.raw`["\"a\" \"b\""]`, String.raw`["\"a\" \"b\""]`],
    ["  true ", "true"],
    ["1e400", "null"],
    ['{"__proto__": {"x": 1}}', '{"__proto__": {"x": 1}}'],
    ["not json", null],
    ["", null],
    ["[1,]", null],
  ] as const;
  for (const [stored, wire] of cases) {
    it(`${stored} is written ${wire ?? "as text"}`, () => {
      expect(rewriteJson(stored, numbers)).to.equal(wire);
    });
  }

  it("may be one very long string", () => {
    const stored = JSON.stringify(`${"x".repeat(5_000_000)}\\"`);

    expect(rewriteJson(stored, numbers)).to.equal(stored);
  });
});
