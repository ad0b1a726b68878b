import { expect } from "chai";
import { indentJson } from "rowhouse/plugin-api/json";

describe("JSON with a line for each member", () => {
  it("has all tokens of the text", () => {
    const text = '{"a": [1.0, 1e400, 9007199254740993], "b": "\\u00e9, \\"{", "a": {}}';

    expect(JSON.stringify(indentJson(text).split(/\s+/).join(""))).to.equal(
      JSON.stringify(text.replaceAll(" ", "")),
    );
    expect(indentJson('[1,{"a":[]}]')).to.equal('[\n  1,\n  {\n    "a": []\n  }\n]');
  });

  it("takes no long time for a text that is cut off", () => {
    const began = performance.now();
    indentJson(`["${"a".repeat(100_000)}`);
    indentJson(`["${"\\n".repeat(50_000)}`);

    expect(performance.now() - began).to.be.below(5_000);
  });

  it("reads a text of millions of escapes", () => {
    const text = `"${"\\n".repeat(4_000_000)}\\\\"`;

    expect(indentJson(`[${text}]`) === `[\n  ${text}\n]`).to.equal(true);
  });

  it("is not much longer than a text of brackets", () => {
    const text = "[".repeat(50_000) + "]".repeat(50_000);

    expect(indentJson(text).length).to.be.below(50 * text.length);
  });
});
