import { expect } from "chai";
import { Exact, Real } from "rowhouse/plugin-api/engine";
import { parseExactJson } from "rowhouse/plugin-api/json";

describe("parseExactJson", () => {
  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ["12", 12],
    ["-7", -7],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["12.0", new Real(12)],
    ["1e+16", new Real(1e16)],
    ["1.50e3", new Real(1500)],
    ["12.50", new Exact("12.50")],
    ["100000000000000000.0", new Exact("100000000000000000.0")],
    ["-0.0", new Real(-0)],
    ['"9007199254740993"', "9007199254740993"],
    ['"a 1.5 b"', "a 1.5 b"],
    ['"\\u0000n1"', "\0n1"],
    ['"say \\"1.5\\""', 'say "1.5"'],
    ["[1, 2.5, null, true]", [1, new Real(2.5), null, true]],
    ['{"n": 9007199254740993}', { n: 9007199254740993n }],
  ];
  for (const [text, value] of cases) {
    it(`keeps every digit of ${text}`, () => {
      expect(parseExactJson(text)).to.deep.equal(value);
    });
  }

  it("refuses what is not JSON", () => {
    expect(() => parseExactJson("[1")).to.throw(SyntaxError);
  });

  it("takes a string of a megabyte", () => {
    const long = "x".repeat(1_000_000);

    expect(parseExactJson(JSON.stringify([long]))).to.deep.equal([long]);
  });

  it("takes a string of millions of escapes", () => {
    const long = "\n".repeat(5_000_000);

    expect((parseExactJson(JSON.stringify([1.5, long, 2])) as readonly unknown[])[1]).to.equal(long);
  });
});
