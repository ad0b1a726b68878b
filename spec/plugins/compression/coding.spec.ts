import { expect } from "chai";
import { chooseCoding } from "../../../plugins/compression/index.js";

describe("the coding for an Accept-Encoding", () => {
  const cases = [
    [undefined, null],
    ["", null],
    ["identity", null],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["br;q=0, gzip", "gzip"],
    ["BR; q=0.5", "br"],
    ["*", "br"],
    ["*;q=0", null],
    ["br;q=0, *;q=0.1", "gzip"],
    ["gzip;q=x", null],
  ] as const;
  for (const [header, coding] of cases) {
    it(`${header ?? "(absent)"} is ${coding ?? "none"}`, () => {
      expect(chooseCoding(header, ["br", "gzip"])).to.equal(coding);
    });
  }
});
