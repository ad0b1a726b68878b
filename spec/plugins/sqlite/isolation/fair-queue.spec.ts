import { expect } from "chai";
import { FairQueue } from "../../../../plugins/sqlite/isolation/fair-queue.js";

const always = (): boolean => true;

function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.push(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string>, mayBeTaken: (item: string) => boolean = always): readonly string[] {
  const taken: string[] = [];
  for (let item = queue.shift(mayBeTaken); item !== undefined; item = queue.shift(mayBeTaken))
    taken.push(item);
  return taken;
}

describe("a fair queue", () => {
  it("takes from each key in turn, in the order of each key", () => {
    expect(drain(queueOf("a1", "a2", "a3", "b1", "c1", "b2"))).to.deep.equal([
      "a1",
      "b1",
      "c1",
      "a2",
      "b2",
      "a3",
    ]);
  });

  it("delays a new key by one item of each other key at most", () => {
    const queue = queueOf("a1", "a2", "a3", "b1", "b2");
    expect(queue.shift(always)).to.equal("a1");

    queue.push("z", "z1");

    expect(drain(queue)).to.deep.equal(["b1", "a2", "z1", "b2", "a3"]);
  });

  it("passes over items that may not be taken, and keeps them", () => {
    const queue = queueOf("a1", "a2", "b1");

    expect(drain(queue, (item) => item.endsWith("2"))).to.deep.equal(["a2"]);
    expect([queue.size, queue.count((item) => item.endsWith("1"))]).to.deep.equal([2, 2]);
    expect(drain(queue)).to.have.members(["a1", "b1"]);
  });

  it("forgets items that are removed", () => {
    const queue = queueOf("a1", "a2", "b1");

    queue.remove("a", "a1");
    queue.remove("a", "never there");
    queue.remove("b", "b1");

    expect(queue.size).to.equal(1);
    expect(drain(queue)).to.deep.equal(["a2"]);
  });
});
