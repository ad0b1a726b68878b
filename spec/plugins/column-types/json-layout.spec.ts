import { expect } from "chai";
import * as fc from "fast-check";
import { laidOut } from "../../../plugins/column-types/types/json-layout.js";

describe("JSON as it is laid out", () => {
  it("is the same JSON, in lines", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(4), (compact, spaces) => {
        const text = JSON.stringify(JSON.parse(compact), null, spaces);

        expect(JSON.stringify(JSON.parse(laidOut(text)))).to.equal(JSON.stringify(JSON.parse(text)));
        expect(laidOut(text)).to.equal(laidOut(compact));
      }),
    );
  });

  const cases = [
    ['{"a":1}', '{"a": 1}'],
    ["[ ]", "[]"],
    [" [1 ,\n2.50] ", "[1, 2.50]"],
    [`["${"x".repeat(60)}"]`, `[\n  "${"x".repeat(60)}"\n]`],
    [
      `{"a":["${"x".repeat(60)}",{"b":null}]}`,
      `{\n  "a": [\n    "${"x".repeat(60)}",\n    {"b": null}\n  ]\n}`,
    ],
    ['["\\\\","\\"",","]', '["\\\\", "\\"", ","]'],
  ] as const;
  for (const [text, expected] of cases) {
    it(`of ${text} is ${JSON.stringify(expected)}`, () => {
      expect(laidOut(text)).to.equal(expected);
    });
  }
});
