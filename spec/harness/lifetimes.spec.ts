import { expect } from "chai";
import { closeWhenDone } from "./lifetimes.js";

function closable(): { closed: boolean; close(): Promise<void> } {
  const thing = {
    closed: false,
    close: async () => {
      thing.closed = true;
    },
  };
  closeWhenDone(thing);
  return thing;
}

describe("what specs do not close", () => {
  let ofTheFile = closable();
  let ofEachTest = closable();
  const ofTests: ReturnType<typeof closable>[] = [];
  before(() => {
    ofTheFile = closable();
  });
  beforeEach(() => {
    ofTests.push(ofEachTest);
    ofEachTest = closable();
  });

  it("stays open during the test that created it", () => {
    ofTests.push(closable());

    expect([...ofTests.slice(1), ofEachTest].map(({ closed }) => closed)).to.deep.equal([false, false]);
  });

  it("is closed after that test", () => {
    expect(ofTests.slice(1).map(({ closed }) => closed)).to.deep.equal([true, true]);
    expect(ofEachTest.closed).to.equal(false);
  });

  it("stays open during all tests of the file if a before hook created it", () => {
    expect(ofTheFile.closed).to.equal(false);
  });
});
