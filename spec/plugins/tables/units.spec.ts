import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";
import { convertQuantity, customUnits } from "../../../plugins/tables/units.js";

const none = customUnits(undefined);

describe("quantities in filters", () => {
  const cases = [
    ["40", "m", "40"],
    ["9.25", "m", "9.25"],
    ["40m", "m", "40"],
    ["1km", "m", "1000.0"],
    ["0.125 km", "m", "125.0"],
    ["1 nautical_mile", "m", "1852.0"],
    ["926 m", "nautical_mile", "0.5"],
    ["3 ft", "m", "0.9144"],
    ["36 km/h", "m/s", "10.0"],
    ["2 kWh", "J", "7200000.0"],
    ["1 ha", "m**2", "10000.0"],
    ["-5", "m", "-5"],
  ] as const;
  for (const [value, unit, expected] of cases) {
    it(`${value} in ${unit} is ${expected}`, () => {
      expect(convertQuantity(value, unit, none)).to.equal(expected);
    });
  }

  it("are read in linear time", () => {
    const began = performance.now();

    expect(() => convertQuantity(`${"9".repeat(100_000)}\nm\nx`, "m", none)).to.throw("is not a quantity");
    expect(performance.now() - began).to.be.below(1_000);
  });

  it("support units that the metadata defines", () => {
    const custom = customUnits(["decibel = [] = dB", "fathom = 1.8288 * m = ftm"]);

    expect(convertQuantity("2 ftm", "m", custom)).to.equal("3.6576");
    expect(convertQuantity("3 dB", "decibel", custom)).to.equal("3.0");
  });

  it("are converted in lists, too", async () => {
    const rowhouse = await rowhouseFor({
      tables: { roads: [1000, 2000, 3000].map((length, index) => ({ id: index + 1, length })) },
      metadata: { databases: { library: { tables: { roads: { units: { length: "m" } } } } } },
    });
    const found = async (filter: string) =>
      (await rowhouse.get(`/library/roads.json?_shape=arrayfirst&${filter}`)).json;

    expect(await found("length__in=1km,2000")).to.deep.equal([1, 2]);
    expect(await found('length__in=["1km",3000]')).to.deep.equal([1, 3]);
    expect(await found("length__notin=1km,2000%20m")).to.deep.equal([3]);
    expect(await found("length__in=1kg")).to.have.property("error", '"1kg" cannot be converted to m');
  });

  const refused = [
    ["1 parsnip", "m", /unknown unit/],
    ["1 kg", "m", /cannot be converted to m/],
    ["tall", "m", /is not a quantity/],
  ] as const;
  for (const [value, unit, message] of refused) {
    it(`refuse ${value} for ${unit}`, () => {
      expect(() => convertQuantity(value, unit, none)).to.throw(message);
    });
  }
});
