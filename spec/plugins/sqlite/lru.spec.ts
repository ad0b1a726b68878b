import { expect } from "chai";
import { Lru } from "../../../plugins/sqlite/lru.js";

const weigh = (key: string): number => key.length;

function made(capacity: number, maxWeight: number) {
  const dropped: string[] = [];
  const lru = new Lru<string, string>({ capacity, maxWeight, weigh, drop: (value) => dropped.push(value) });
  return { lru, dropped };
}

describe("Lru", () => {
  it("evicts the least recently used entry beyond its capacity", () => {
    const { lru, dropped } = made(2, 100);
    lru.set("a", "1");
    lru.set("b", "2");
    lru.get("a");
    lru.set("c", "3");

    expect([lru.get("a"), lru.get("b"), lru.get("c")]).to.deep.equal(["1", undefined, "3"]);
    expect(dropped).to.deep.equal(["2"]);
  });

  it("evicts as many entries as it takes to keep to its weight, and keeps no entry that is heavier", () => {
    const { lru, dropped } = made(10, 10);
    for (const key of ["aaa", "bbb", "ccc", "dddddd"]) lru.set(key, key);
    expect(dropped).to.deep.equal(["aaa", "bbb"]);

    lru.set("e".repeat(11), "too heavy");
    expect(dropped.at(-1)).to.equal("too heavy");
    expect([lru.get("ccc"), lru.get("dddddd")]).to.deep.equal(["ccc", "dddddd"]);

    lru.delete("dddddd");
    lru.set("fffffff", "f");
    expect(lru.get("ccc")).to.equal("ccc");
  });
});
