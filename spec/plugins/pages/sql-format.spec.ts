import { expect } from "chai";
import { formatSql } from "../../../plugins/pages/client/sql-format.js";
import { sqlTokens } from "../../../plugins/pages/client/sql-tokens.js";

const pieces = (text: string): string[] =>
  sqlTokens(text).flatMap((token) => (token.kind === "space" ? [] : [token.text]));

describe("SQL set out by the Format button", () => {
  const cases: readonly (readonly [sql: string, formatted: string])[] = [
    ["select 1", "select 1"],
    [
      "select a,b from t where x=1 and y<>2 order by a",
      "select a,\n  b\nfrom t\nwhere x = 1\n  and y <> 2\norder by a",
    ],
    ["select count(*) from t", "select count(*)\nfrom t"],
    ["select 'a,  b' from [my  table]", "select 'a,  b'\nfrom [my  table]"],
    ["select a from t left join u on u.id=t.id", "select a\nfrom t\n  left join u on u.id = t.id"],
    ["select (select 1 from u) from t", "select (\n    select 1\n    from u\n  )\nfrom t"],
    ["select a -- why\n, b from t", "select a -- why\n  ,\n  b\nfrom t"],
    ["explain query plan select 1", "explain query plan select 1"],
    ["select a between 1 and 2 from t", "select a between 1 and 2\nfrom t"],
  ];
  for (const [sql, formatted] of cases) {
    it(`puts each clause on its line: ${sql}`, () => expect(formatSql(sql)).to.equal(formatted));
  }

  it("changes nothing but the space between pieces", () => {
    const sql =
      "with n(i) as (select 1 union all select i+1 from n where i<:most) select i, '--x' /* y */ from n;";
    expect(pieces(formatSql(sql))).to.deep.equal(pieces(sql));
  });

  it("gives the same text when it is set out again", () => {
    const once = formatSql(
      "select a, b from t where x in (select y from u where z=1) group by a having count(*)>1",
    );

    expect(formatSql(once)).to.equal(once);
  });
});
