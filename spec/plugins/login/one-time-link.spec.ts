import { expect } from "chai";
import { OneTimeLink } from "../../../plugins/login/pages.js";

describe("the one-time link", () => {
  it("has 64 hex digits, other ones each time", () => {
    const [one, two] = [new OneTimeLink(), new OneTimeLink()];

    expect(one.token).to.match(/^[0-9a-f]{64}$/);
    expect(one.token).to.not.equal(two.token);
  });

  it("opens once", () => {
    const link = new OneTimeLink();

    expect(link.try(link.token)).to.equal("right");
    expect(link.try(link.token)).to.equal("used");
  });

  it("is not used up by wrong guesses", () => {
    const link = new OneTimeLink();

    expect(["", "wrong", link.token.toUpperCase() + "x"].map((guess) => link.try(guess))).to.deep.equal([
      "wrong",
      "wrong",
      "wrong",
    ]);
    expect(link.try(link.token)).to.equal("right");
  });
});
