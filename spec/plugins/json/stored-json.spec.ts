import { expect } from "chai";
import { rewrittenJson } from "../../../plugins/json/stored-json.js";

const rewrite = (text: string): string | null => {
  const pieces = rewrittenJson(text, { infinity: "null", bigintText: false });
  return pieces === null ? null : [...pieces].join("");
};

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
      expect(rewrite(stored)).to.equal(wire);
    });
  }

  it("is written in pieces if it has many values", () => {
    const stored = `[${"1.50,".repeat(10_000)}"a"]`;
    const pieces = [...(rewrittenJson(stored, { infinity: "null", bigintText: false }) ?? [])];

    expect(Math.max(...pieces.map(({ length }) => length))).to.be.below(10_000);
    expect(pieces.join("")).to.equal(`[${"1.5, ".repeat(10_000)}"a"]`);
  });

  it("may be one very long string", () => {
    const stored = JSON.stringify(`${"x".repeat(5_000_000)}\\"`);

    expect(rewrite(stored)).to.equal(stored);
  });
});
