import { expect } from "chai";
import { Real } from "rowhouse/plugin-api/engine";
import { jsonComplaint, parseJsonTree, parseJsonTreeInSlices } from "rowhouse/plugin-api/json";

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

  for (const token of ["0", "-0.5", "10", "1.50", "1E5", "1e+05", "-1.25e-3", "123456789012345"]) {
    it(`has ${token} as a number`, () => {
      expect(Number(parseJsonTree(token))).to.equal(Number(token));
    });
  }

  for (const token of ["01", "-", "--1", "1.", "1.e5", "1e", "1e+", "+1", ".5", "1-", "-a", "1_0"]) {
    it(`has no number ${token}`, () => {
      expect(jsonComplaint(token)).to.be.a("string");
      expect(jsonComplaint(`[${token}]`)).to.be.a("string");
    });
  }

  it("gives the mistake and its place; null for valid JSON", () => {
    expect(jsonComplaint('{"a": 1}')).to.equal(null);
    expect(jsonComplaint("")).to.equal("Expecting value: line 1 column 1 (char 0)");
    expect(jsonComplaint('{\n "\u{1F600}" 1}')).to.equal("Expecting ':' delimiter: line 2 column 6 (char 7)");
    expect(jsonComplaint('{"a": 1, "a": 2}')).to.equal(null);
    expect(() => parseJsonTree('{"a": 1, "a": 2}')).to.throw(
      SyntaxError,
      "Repeated property name: line 1 column 10",
    );
    expect(() => parseJsonTree("[1e999]")).to.throw(SyntaxError, "number out of range");
  });

  it("is the same for a long text that is parsed in slices, and its mistakes have the same place", async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, title: `t\u00e9 ${id}`, price: id / 8 }));
    const text = JSON.stringify({ rows });
    const broken = `${text.slice(0, -2)}, ]}`;

    expect(await parseJsonTreeInSlices(text, {})).to.deep.equal(parseJsonTree(text));
    expect(jsonComplaint(broken)).to.match(/^Expecting value: line 1 column \d{6}/);
    const mistake = await parseJsonTreeInSlices(broken, {}).catch((error: unknown) => error);
    expect(mistake).to.be.instanceOf(SyntaxError).with.property("message", jsonComplaint(broken));
  });
});
