import { expect } from "chai";
import { betterPath } from "../../../plugins/redirects/index.js";

const formats = new Set(["json", "csv"]);

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
    ["/", null],
    ["//", "/"],
    ["///", "/"],
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

  it("is looked for once, and not from each of ten million slashes", () => {
    const slashes = "/".repeat(10_000_000);

    expect(betterPath(`/shop${slashes}x`, formats)).to.equal(null);
    expect(betterPath(`/shop${slashes}`, formats)).to.equal("/shop");
  });
});
