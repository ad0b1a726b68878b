import { expect } from "chai";
import type { Setting } from "rowhouse/plugin-api";
import { inListingOrder, kernelSettings, settingProblem, switchedTo } from "rowhouse/plugin-api/kernel";

const setting = (name: string, value: Setting["default"]): Setting => ({ name, default: value, help: "" });

const grace = kernelSettings.find(({ name }) => name === "shutdown_grace_ms") ?? setting("", 0);

describe("settings", () => {
  it("are listed in published order, others after them in the given order", () => {
    const names = ["later", "base_url", "earlier", "default_page_size"];

    const listed = inListingOrder(names.map((name) => setting(name, 1)));

    expect(listed.map(({ name }) => name)).to.deep.equal([
      "default_page_size",
      "base_url",
      "later",
      "earlier",
    ]);
  });

  const size = setting("size", 100);
  const cases: readonly (readonly [Setting, unknown, string | null])[] = [
    [size, 0, null],
    [size, -1, '"size" should be an integer'],
    [size, 1.5, '"size" should be an integer'],
    [size, 2 ** 53, '"size" should be an integer'],
    [size, "1", '"size" should be an integer'],
    // A timer of Node that is longer ends at once.
    [grace, 2 ** 31 - 1, null],
    [grace, 2 ** 31, '"shutdown_grace_ms" must be at most 2147483647'],
    [setting("open", true), false, null],
    [setting("open", true), "off", '"open" should be on/off/true/false/1/0'],
    [setting("title", ""), "a", null],
    [setting("title", ""), 1, '"title" should be text'],
    [{ ...size, check: () => "must be odd" }, 4, '"size" must be odd'],
    [{ ...size, check: () => "size should be odd" }, 4, "size should be odd"],
    [{ ...size, check: () => null }, 5, null],
    [
      { ...size, check: () => JSON.parse("[") as never },
      5,
      '"size" cannot be checked: Unexpected end of JSON input',
    ],
    [
      { ...size, check: () => Promise.resolve("must be odd") as never },
      5,
      '"size" cannot be checked: check returned a promise instead of its result',
    ],
    [{ ...size, check: () => "must be odd" }, "5", '"size" should be an integer'],
  ];
  for (const [declared, value, problem] of cases) {
    it(`find ${problem === null ? "nothing" : problem} wrong with ${declared.name} = ${JSON.stringify(value)}`, () => {
      expect(settingProblem(declared, value)).to.equal(problem);
    });
  }
});

describe("the words of a switch", () => {
  const cases = [
    ["on", true],
    ["true", true],
    ["1", true],
    ["off", false],
    ["false", false],
    ["0", false],
    ["ON", null],
    ["yes", null],
    ["", null],
  ] as const;
  for (const [word, meant] of cases) {
    it(`mean ${meant} by ${JSON.stringify(word)}`, () => {
      expect(switchedTo(word)).to.equal(meant);
    });
  }
});
