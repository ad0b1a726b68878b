import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

describe("The number of rows of a filter", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `create table words (id integer primary key, word text);
        insert into words values (1, 'oak'), (2, 'oar'), (3, 'oat'), (4, 'elm')`,
      settings: { trace_debug: true },
    });
  });

  const counted = async (
    query: string,
  ): Promise<{ readonly count: unknown; readonly statements: number }> => {
    const { json } = await rowhouse.get(`/library/words.json?_nosuggest=1&_trace=1&${query}`);
    const statements: readonly string[] = json["_trace"].traces.map(({ sql }: { sql: string }) => sql);
    return {
      count: json.filtered_table_rows_count,
      statements: statements.filter((sql) => sql.includes("count(*)")).length,
    };
  };

  for (const [query, count] of [
    ["word__startswith=e", 1],
    ["word__startswith=x", 0],
    ["word__startswith=o&_size=3", 3],
    ["word__startswith=o&_shape=objects", 3],
    ["word__startswith=o&_labels=on", 3],
  ] as const)
    it(`is that of the page that shows them all: ${query}`, async () => {
      expect(await counted(query)).to.deep.equal({ count, statements: 0 });
    });

  for (const [query, count] of [
    ["word__startswith=o&_size=2", 3],
    ["word__endswith=k&_size=0", 1],
    ["word__startswith=oa&_size=2&_next=2", 3],
    ["word__startswith=oar&_next=3", 1],
    ["_where=word+like+'o%25'+limit+2+--", 3],
  ] as const)
    it(`is counted for other pages: ${query}`, async () => {
      expect(await counted(query)).to.deep.equal({ count, statements: 1 });
    });
});
