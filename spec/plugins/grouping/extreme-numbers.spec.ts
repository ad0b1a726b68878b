import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const LEAST = "-9223372036854775808";
const GREATEST = "9223372036854775807";

describe("Groups of numbers at the limits of 64 bits", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table events (id integer primary key, at integer, mixed);
        insert into events values
          (1, ${LEAST}, ${GREATEST}), (2, 1704067800, ${GREATEST}), (3, -1704067800, 9223372036854775808.0),
          (4, ${GREATEST}, x'ffff'), (5, null, 'x');
        create table ticks (id integer primary key, ns integer);
        insert into ticks values (1, 1704067800000000000), (2, 1704067800000000001), (3, 1706067800000000000),
          (4, ${GREATEST}), (5, ${LEAST});`,
    });
  });

  const rows = async (path: string): Promise<unknown> => {
    const reply = await rowhouse.get(`/library/${path}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json.rows;
  };

  it("by steps of dates have no date for integers that are no seconds of any year", async () => {
    expect(await rows("events.json?_group=date(at,year)")).to.deep.equal([
      [null, 3],
      ["1916", 1],
      ["2024", 1],
    ]);
    expect(await rows("events.json?_col=at&_in_group=date(at,month):1916-01")).to.deep.equal([
      [3, -1704067800],
    ]);
    expect(await rows("events.json?_group=date(mixed,day)")).to.deep.equal([[null, 5]]);
  });

  it("by intervals lead to exactly their rows", async () => {
    const page = await rowhouse.get("/library/events?_group=interval(mixed,1)");

    expect(page.text).to.include(`?_in_group=interval%28mixed%2C1%29%3A${GREATEST}"`);
    const first = await rowhouse.get(
      `/library/events.json?_shape=arrayfirst&_in_group=interval(mixed,1):${GREATEST}`,
    );
    expect(first.json).to.deep.equal([1, 2]);
    const second = await rowhouse.get(
      "/library/events.json?_shape=arrayfirst&_in_group=interval(mixed,1):9223372036854775808",
    );
    expect(second.json).to.deep.equal([3]);
  });

  it("by intervals are one group of all that have no lower bound", async () => {
    const infinite = await rowhouseFor({
      sql: "create table n (id integer primary key, x); insert into n (x) values (9e999), (-9e999), (null), ('a'), (1e308);",
    });

    for (const [width, groups] of [
      ["0.001", [[null, 5]]],
      [
        "10",
        [
          [null, 4],
          [1e308, 1],
        ],
      ],
    ] as const) {
      const { json } = await infinite.get(`/library/n.json?_group=interval(x,${width})`);
      expect(json.rows).to.deep.equal(groups);
      const { json: ungrouped } = await infinite.get(`/library/n.json?_in_group=interval(x,${width})`);
      expect(ungrouped.filtered_table_rows_count).to.equal(groups[0][1]);
    }
  });

  it("take widths that numbers of nanoseconds need", async () => {
    const { text } = await rowhouse.get(
      "/library/ticks.json?_shape=arrays&_group=interval(ns,2000000000000000)&ns__gt=0&ns__lt=9000000000000000000",
    );

    expect(text).to.include('"rows": [[1704000000000000000, 2], [1706000000000000000, 1]]');
    expect(
      (await rowhouse.get("/library/ticks.json?_shape=arrayfirst&_group=interval(ns,1000000000000000000)"))
        .text,
    ).to.equal("[-1e+19, 1000000000000000000, 9000000000000000000]");
  });

  for (const width of [
    "0",
    "00",
    "1000000000000000001",
    "9007199254740993",
    "2000000000000000000",
    "1e3",
    "-1",
    "",
  ]) {
    it(`refuse the width "${width}"`, async () => {
      const reply = await rowhouse.get(`/library/ticks.json?_group=interval(ns,${width})`);

      expect(reply.status).to.equal(400);
      expect(reply.json.error).to.equal(
        `_group=interval(ns,${width}) - the width of intervals is a number above 0 and up to 1e18, such as 10 or 0.5`,
      );
    });
  }

  for (const path of ["ticks.json?_agg=count,sum(ns)", "ticks.csv?_stream=on&_agg=sum(ns)"])
    it(`name the sum that is over 64 bits: ${path}`, async () => {
      const { status, text } = await rowhouse.get(`/library/${path}`, {
        headers: { accept: "application/json" },
      });

      expect(status).to.equal(400);
      expect(text).to.include(
        "_agg: the integers in sum(ns) add up to more than 64 bits. Use avg, or filter the rows",
      );
    });
});
