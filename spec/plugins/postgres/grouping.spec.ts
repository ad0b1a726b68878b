import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create table sales (
    id int primary key, shop text, paid boolean, amount money, lasted interval, small int2, large int8, object oid,
    sold date, sent timestamptz
  );
  insert into sales values
    (1, 'a', true, '$1,234.50', '90 minutes', -32768, -9223372036854775808, 7, '2024-02-29', '2024-02-29 23:30+00'),
    (2, 'a', false, '$0.50', '30 minutes', 0, 1, 8, '0044-03-15 BC', '0044-03-15 BC'),
    (3, 'a', true, null, null, null, null, null, 'infinity', '-infinity'),
    (4, 'b', null, '-$5.00', '-1 day', 5, 1, 1, '5874897-12-31', '294276-12-31');`;

const patterns = (sql: string): number => sql.match(/ ~ '| from '\^/g)?.length ?? 0;

describePostgres("groups on PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  async function rows(query: string): Promise<unknown> {
    const { status, text, json } = await rowhouse.get(`/shop/sales.json?_nosuggest=1&${query}`);
    expect(status, `${query}: ${text}`).to.equal(200);
    return (json as { readonly rows: unknown }).rows;
  }

  it("sums what has a sum, and true as 1", async () => {
    expect(await rows("_group=shop&_agg=sum(paid),avg(paid)")).to.deep.equal([
      ["a", 2, 0.6666666666666666],
      ["b", null, null],
    ]);
    expect(await rows("_group=shop&_agg=sum(amount),avg(amount)")).to.deep.equal([
      ["a", 1235, 617.5],
      ["b", -5, -5],
    ]);
    expect(await rows("_group=shop&_agg=sum(lasted),sum(object),avg(object)")).to.deep.equal([
      ["a", "PT2H", 15, 7.5],
      ["b", "P-1D", 1, 1],
    ]);
  });

  it("has means of numbers whose squares are out of range", async () => {
    const uri = await server().createDatabase(`
      create table sizes (id int primary key, wide float8, narrow real);
      insert into sizes values (1, 1e300, 3e38), (2, 3e300, 1e38), (3, null, 2e38);`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "space", mutable: true });

    const groups = await rowhouse.get("/space/sizes.json?_agg=avg(wide),avg(narrow)&_shape=arrays");
    expect(groups.status, groups.text).to.equal(200);
    const [[wide, narrow]] = (groups.json as { readonly rows: [[number, number]] }).rows;
    expect(wide).to.equal(2e300);
    expect(narrow).to.be.closeTo(2e38, 1e32);
    const statistics = await rowhouse.get("/space/sizes/-/columns.json");
    expect(statistics.status, statistics.text).to.equal(200);
  });

  it("has means of numbers whose sum is out of range", async () => {
    const uri = await server().createDatabase(`
      create table limits (id int primary key, wide float8, infinite float8, mixed float8);
      insert into limits values
        (1, 1.7976931348623157e308, 'infinity', 1e308), (2, 1.7976931348623157e308, 1e308, 1.5),
        (3, 1.7976931348623157e308, 1e308, -1e308), (4, null, null, 4.5);`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "range", mutable: true });

    const statistics = await rowhouse.get("/range/limits/-/columns.json");
    expect(statistics.status, statistics.text).to.equal(200);
    const { columns } = statistics.json as { readonly columns: readonly { readonly mean: unknown }[] };
    expect(columns.slice(1).map(({ mean }) => mean)).to.deep.equal([1.7976931348623157e308, null, 1.5]);
  });

  it("has no sum and no mean of values that are no numbers", async () => {
    expect(await rows("_group=shop&_agg=sum(shop),avg(shop),sum(sold)")).to.deep.equal([
      ["a", null, null, null],
      ["b", null, null, null],
    ]);
  });

  for (const group of [
    "date(sold,month)",
    "date(sent,week)",
    "date(object,year)",
    "interval(small,10)",
    "interval(large,10)",
    "interval(object,10)",
  ]) {
    it(`selects the rows of each group of ${group} by _in_group`, async () => {
      const groups = (await rows(`_group=${group}&_agg=count`)) as readonly (readonly [unknown, number])[];
      expect(groups).to.have.length.above(0);
      for (const [value, count] of groups) {
        const argument = value === null ? group : `${group}:${String(value)}`;
        const found = await rows(`_in_group=${encodeURIComponent(argument)}`);

        // The least 64-bit integer has more digits than a number of JavaScript.
        if (Math.abs(Number(value)) < 2 ** 53 || group.startsWith("date"))
          expect(found, argument).to.have.length(count);
      }
    });
  }

  it("selects the rows of intervals whose digits a double would round", async () => {
    const uri = await server().createDatabase(`
      create table amounts (id int primary key, n numeric);
      insert into amounts values (1, 12345678901234567890.7), (2, -9223372036854775808), (3, 1);`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "exact", mutable: true });

    for (const group of [
      "interval(n,10):12345678901234567890",
      "interval(n,0.5):12345678901234567890.5",
      "interval(n,10):-9223372036854775810",
    ]) {
      const { json } = await rowhouse.get(`/exact/amounts.json?_in_group=${encodeURIComponent(group)}`);
      expect(json.rows, group).to.have.length(1);
    }
  });

  for (const step of ["year", "quarter", "month", "week", "day", "hour"]) {
    it(`groups by ${step} where dates have no year of four digits`, async () => {
      for (const column of ["sold", "sent"]) {
        const groups = (await rows(`_group=date(${column},${step})&_agg=count`)) as readonly unknown[][];
        expect(groups.map(([, count]) => count)).to.deep.equal([3, 1]);
        expect(groups.map(([date]) => date === null)).to.deep.equal([true, false]);
      }
    });
  }

  it("takes dates with slashes in the order of ISO 8601", async () => {
    const uri = await server().createDatabase(`
      create table days (day text);
      insert into days values ('2024/02/29'), ('2024/02/01 10:30'), ('2024-03-01'), ('01/02/2024'), ('2024/13/01');`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "calendar", mutable: true });
    const { json } = await rowhouse.get("/calendar/days.json?_group=date(day,hour)&_agg=count&_shape=arrays");

    expect(json.rows).to.deep.equal([
      [null, 2],
      ["2024-02-01 10:00", 1],
      ["2024-02-29 00:00", 1],
      ["2024-03-01 00:00", 1],
    ]);
  });

  it("applies few patterns to a text, which take most of the time of a query", () => {
    const { dialect } = rowhouse.rowhouse.database("shop");

    expect(patterns(dialect.dayOf("day", undefined))).to.equal(2);
    expect(patterns(dialect.dateStep("day", "month", undefined))).to.equal(6);
  });

  it("orders groups without a value as SQLite does: first, and last in descending order", async () => {
    for (const [order, values] of [
      ["small", [null, -32768, 0, 5]],
      ["-small", [5, 0, -32768, null]],
    ] as const) {
      const groups = (await rows(`_group=small&_agg=count&_order=${order}`)) as readonly unknown[][];
      expect(groups.map(([value]) => value)).to.deep.equal(values);
    }
    expect(await rows("_group=shop&_agg=min(small)&_order=-min(small)")).to.deep.equal([
      ["b", 5],
      ["a", -32768],
    ]);
  });

  it("takes the smallest and the largest integers for no seconds", async () => {
    expect(await rows("_group=date(small,year)&_agg=count")).to.deep.equal([[null, 4]]);
    expect(await rows("_group=date(large,year)&_agg=count")).to.deep.equal([[null, 4]]);
  });

  it("puts numbers of 16 digits into their interval", async () => {
    const uri = await server().createDatabase(`
      create table moments (id int primary key, at float8);
      insert into moments values (1, 1234567890123456), (2, 1234567890123454), (3, 123456789012345680), (4, 0.3);`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "moments", mutable: true });

    const { json } = await rowhouse.get("/moments/moments.json?_group=interval(at,10)&_agg=min(id),count");
    expect(json.rows).to.deep.equal([
      [0, 4, 1],
      [1234567890123450, 1, 2],
      [123456789012345680, 3, 1],
    ]);
  });

  it("keeps bytes", async () => {
    const uri = await server().createDatabase(`
      create table pieces (id int primary key, piece bytea);
      insert into pieces values (1, '\\xcafe'), (2, '\\xcafe'), (3, 'AB'), (4, 'AB'), (5, null);`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "pieces", mutable: true });

    const bytes = { $base64: true, encoded: "yv4=" };
    const groups = await rowhouse.get("/pieces/pieces.json?_group=piece&_order=-count");
    expect(groups.json.rows).to.have.deep.members([
      ["AB", 2],
      [bytes, 2],
      [null, 1],
    ]);
    expect((await rowhouse.get("/pieces/pieces?_group=piece")).status).to.equal(200);
  });

  it("does not mix the years before and after the birth of Christ in a facet by date", async () => {
    const { json } = await rowhouse.get("/shop/sales.json?_facet_date=sent&_nosuggest=1");

    const { facet_results: facets } = json as {
      readonly facet_results: Readonly<
        Record<string, { readonly results: readonly { readonly value: unknown }[] }>
      >;
    };
    expect(facets["sent"]?.results.map(({ value }) => value)).to.deep.equal(["2024-02-29"]);
  });
});
