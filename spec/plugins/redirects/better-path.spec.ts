import { expect } from "chai";
import { betterPath } from "../../../plugins/redirects/better-path.js";
import { cpuMs } from "../../harness/cpu-time.js";

const formats = new Set(["json", "csv"]);

const cost = (slashes: number): Promise<number> =>
  cpuMs(() => betterPath(`/shop${"/".repeat(slashes)}x`, formats));

describe("the path that was probably meant", () => {
  const cases = [
    ["/shop/a%20b", "/shop/a~20b"],
    ["/shop/tilde~d%2Ev1", "/shop/tilde~7Ed~2Ev1"],
    ["/shop/a.b%2Fc.json", "/shop/a~2Eb~2Fc.json"],
    ["/shop/a.b%2Fc.txt", "/shop/a~2Eb~2Fc~2Etxt"],
    ["/shop/products/", "/shop/products"],
    ["/shop/products//", "/shop/products"],
    ["/shop/products", null],
    ["/shop/products.json", null],
    ["//", null],
    ["/\\/", null],
  ] as const;
  for (const [path, better] of cases) {
    it(`of ${path} is ${better ?? "not known"}`, () => {
      expect(betterPath(path, formats)).to.equal(better);
    });
  }

  it("leaves actions alone, whose names are taken as they are sent", () => {
    expect(betterPath("/shop/we%20ird/-/insert", formats)).to.equal(null);
  });

  it("takes time in proportion to the length of a row of slashes", async () => {
    // Ten times the slashes; one who looked back from each would take a hundred times as long.
    expect(await cost(100_000)).to.be.below(40 * Math.max(1, await cost(10_000)));
  });
});
