import { expect } from "chai";
import { Real } from "rowhouse/plugin-api/engine";
import { jsonComplaint, parseJsonTree } from "rowhouse/plugin-api/json";

describe("JSON as a tree", () => {
  it("keeps digits, kinds of numbers, and the order of keys", () => {
    const tree = parseJsonTree('{"2": 9223372036854775807, "1": [1, 1.0, -0], "__proto__": null}');

    expect(tree).to.deep.equal(
      new Map<string, unknown>([
        ["2", 9223372036854775807n],
        ["1", [1, new Real(1), 0]],
        ["__proto__", null],
      ]),
    );
  });

  it("gives the mistake and its place; null for valid JSON", () => {
    expect(jsonComplaint('{"a": 1}')).to.equal(null);
    expect(jsonComplaint("")).to.equal("Expecting value: line 1 column 1 (char 0)");
    expect(jsonComplaint('{\n "\u{1F600}" 1}')).to.equal("Expecting ':' delimiter: line 2 column 6 (char 7)");
    expect(() => parseJsonTree("[1e999]")).to.throw(SyntaxError, "number out of range");
  });
});
