import { expect } from "chai";
import type { ExpectedResponse } from "./cases.js";
import { compare } from "./compare.js";
import { parseJson, type Json } from "./lossless-json.js";
import { sign } from "./signing.js";

const answer = (body: string, headers: Record<string, string | string[]> = {}, status = 200) => ({
  status,
  headers: headers as Record<string, string>,
  body: Buffer.from(body),
  sentAt: 1_700_000_000,
});

const places = (expected: Partial<ExpectedResponse>, got: ReturnType<typeof answer>): string[] =>
  compare({ status: 200, ...expected }, got).map(({ where }) => where);

const json = (text: string): { json: Json } => ({ json: parseJson(text) });

describe("comparing an answer with a recorded one", () => {
  const equal: [expected: string, got: string][] = [
    ["[1]", "[1.0]"],
    ['{"a": 1, "b": 2}', '{"b": 2, "a": 1}'],
    ["9223372036854775807", "9223372036854775807"],
    ["1e16", "10000000000000000"],
    ['"{{query_ms}}"', "12.5"],
    ['"{{any}}"', "[null]"],
    ['"{{now+60}}"', "1700000061"],
  ];
  for (const [expected, got] of equal) {
    it(`takes ${got} for ${expected}`, () => {
      expect(places(json(expected), answer(got))).to.deep.equal([]);
    });
  }

  const different: [expected: string, got: string, where: string][] = [
    ["1", "true", "json (whole body)"],
    ['{"a": null}', "{}", "json /a"],
    ["[1, 2]", "[2, 1]", "json /0"],
    ["[1]", "[1, 2]", "json /1"],
    ['{"a": {}}', '{"a": {"b/c": 1}}', "json /a/b~1c"],
    ["9223372036854775807", "9223372036854775806", "json (whole body)"],
    ["9007199254740993", "9007199254740992", "json (whole body)"],
    ['"1"', "1", "json (whole body)"],
    ['{"ms": "{{query_ms}}"}', '{"ms": "12"}', "json /ms"],
    ['{"a": "{{any}}"}', "{}", "json /a"],
    ['"{{now}}"', "1700000002", "json (whole body)"],
    ["[]", "{}", "json (whole body)"],
    ["[]", "[]]", "body"],
  ];
  for (const [expected, got, where] of different) {
    it(`does not take ${got} for ${expected}`, () => {
      expect(places(json(expected), answer(got))[0]).to.equal(where);
    });
  }

  it("wants only the beginning of a soft text, but a text", () => {
    const expected = { ...json('{"error": "as recorded"}'), soft: { "/error": "Invalid JSON: " } };

    expect(places(expected, answer('{"error": "Invalid JSON: what"}'))).to.deep.equal([]);
    expect(places(expected, answer('{"error": "what"}'))).to.deep.equal(["json /error"]);
    expect(places(expected, answer("{}"))).to.deep.equal(["json /error"]);
  });

  it("lets objects of a subset have more keys, at any depth", () => {
    const expected = { ...json('{"a": {"b": 1}}'), subset: true };

    expect(places(expected, answer('{"a": {"b": 1}, "c": 2}'))).to.deep.equal([]);
    expect(places(expected, answer('{"a": {"b": 1, "c": 2}}'))).to.deep.equal([]);
    expect(places(expected, answer('{"a": {"c": 2}}'))).to.deep.equal(["json /a/b"]);
  });

  it("finds digits only in the raw body", () => {
    expect(places({ exact: ["9007199254740993"] }, answer("[9007199254740993]"))).to.deep.equal([]);
    expect(places({ exact: ["9007199254740993"] }, answer("[9007199254740992]"))).to.deep.equal(["body"]);
  });

  it("compares listed headers, absent ones and cookie names", () => {
    const got = answer("", {
      "content-type": "text/html;charset=utf-8",
      "set-cookie": ["b=1", "a=2; Path=/", "rowhouse_csrf=x"],
    });

    expect(
      places({ headers: { "content-type": "text/html; charset=utf-8", link: null } }, got),
    ).to.deep.equal([]);
    expect(places({ headers: { "set-cookie-names": ["a", "b"] } }, got)).to.deep.equal([]);
    expect(places({ headers: { "set-cookie-names": ["a"], location: "/" } }, got)).to.deep.equal([
      "header set-cookie-names",
      "header location",
    ]);
  });

  it("compares text exactly and names the line", () => {
    expect(places({ text: "a,b\r\n1,2\r\n" }, answer("a,b\r\n1,2\r\n"))).to.deep.equal([]);
    expect(places({ text: "a\nb" }, answer("a\nb\n"))).to.deep.equal(["body text, line 1"]);
  });

  it("signs as the published example does", () => {
    expect(sign({ a: "root", t: 1_700_000_000 }, "token", "conformance-secret-7f3a")).to.equal(
      "eyJhIjoicm9vdCIsInQiOjE3MDAwMDAwMDB9.jchZk7A6LwxT7MBQyMp_HPyHNJJ1owQqgTJq10M2zSg",
    );
  });
});
