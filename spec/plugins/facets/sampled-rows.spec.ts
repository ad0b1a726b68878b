import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

/** Each column has other values from row 10,001 on. */
const READINGS = `
  create table readings (id integer primary key, kind text, number integer, day text, later text, tags text, lists text);
  insert into readings
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
    select i,
      case when i <= 10000 then i % 3 else i end,
      i % 31,
      case when i <= 10000 then date('2020-01-01', i || ' days') else 'none ' || i end,
      case when i <= 10000 then 'none ' || i else '2020-01-02' end,
      case when i <= 10000 then '["tag ' || i || '"]' else 'tag ' || i end,
      '["tag ' || i || '"]'
    from n;`;

interface Suggesting {
  readonly suggested: readonly string[];
  readonly statements: readonly string[];
}

async function suggesting(rowhouse: TestRowhouse, path: string): Promise<Suggesting> {
  const { json } = await rowhouse.get(path);
  const statements: readonly string[] = json["_trace"].traces.map(({ sql }: { sql: string }) => sql);
  return {
    suggested: json.suggested_facets.map(
      ({ name, type = "column" }: Record<string, string>) => `${name} ${type}`,
    ),
    statements: statements.filter((sql) => /^with rowhouse_selected|^select 1 where/.test(sql)),
  };
}

describe("Suggestions for a table with many rows", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => (rowhouse = await rowhouseFor({ sql: READINGS, settings: { trace_debug: true } })));

  for (const path of ["readings.json?_trace=1", "readings.json?id__gt=0&_trace=1"]) {
    it(`follow from the first ten thousand, and for arrays from all: ${path}`, async () => {
      const { suggested } = await suggesting(rowhouse, `/library/${path}`);

      expect(suggested).to.deep.equal(["kind column", "day date", "lists array"]);
    });

    it(`take two statements for columns, and one each for days and arrays: ${path}`, async () => {
      const { statements } = await suggesting(rowhouse, `/library/${path}&_size=1`);

      expect(statements.length).to.equal(4);
      for (const sql of statements) expect(sql).to.match(/ limit 10?000\)/);
    });
  }

  it("for days and arrays take one statement each if the rows are not counted", async () => {
    const { suggested, statements } = await suggesting(
      rowhouse,
      "/library/readings.json?_nocount=1&_trace=1",
    );

    expect(suggested).to.deep.equal(["day date", "lists array"]);
    expect(statements.length).to.equal(2);
  });
});
