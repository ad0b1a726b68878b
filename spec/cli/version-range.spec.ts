import { expect } from "chai";
import { isInRange } from "../../cli/plugins/plugin-module.js";

const cases: readonly (readonly [version: string, range: string, fits: boolean])[] = [
  ["0.1.0", "^0.1.0", true],
  ["0.1.7", "^0.1.0", true],
  ["0.2.0", "^0.1.0", false],
  ["0.0.4", "^0.0.3", false],
  ["1.9.0", "^1.2.3", true],
  ["1.2.2", "^1.2.3", false],
  ["2.0.0", "^1.2.3", false],
  ["0.9.0", "^0", true],
  ["1.2.9", "~1.2.3", true],
  ["1.3.0", "~1.2.3", false],
  ["1.3.0", "~1", true],
  ["1.2.3", "1.2.3", true],
  ["1.2.4", "=1.2.3", false],
  ["1.9.9", "1.x", true],
  ["2.0.0", "1.x", false],
  ["5.0.0", "*", true],
  ["2.5.0", ">=1 <3", true],
  ["3.0.0", ">= 1 < 3", false],
  ["1.2.4", ">1.2.3", true],
  ["1.9.0", ">1", false],
  ["2.0.0", ">1", true],
  ["1.9.0", "<=1", true],
  ["2.1.5", "1.x || ~2.1.0", true],
  ["2.2.0", "1.x || ~2.1.0", false],
  ["2.0.5", "1.0 - 2.0", true],
  ["2.1.0", "1.0 - 2.0", false],
  ["0.1.0-rc.1", "^0.1.0", true],
  ["0.1.0", "file:../rowhouse", true],
  ["0.1.0", "workspace:*", true],
];

describe("a range of versions", () => {
  for (const [version, range, fits] of cases) {
    it(`${range} ${fits ? "takes" : "refuses"} ${version}`, () => {
      expect(isInRange(version, range)).to.equal(fits);
    });
  }
});
