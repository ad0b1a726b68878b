import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const mine = definePlugin({
  name: "mine",
  read_scope: (_rowhouse, { actor }) => ({
    table: "docs",
    where: "owner = :me",
    params: { me: String(actor?.id ?? "") },
  }),
});

describe("The number of rows that an actor may read, in lists of tables", () => {
  it("is counted once for each actor until the data changes", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table docs (id integer primary key, owner text);
        insert into docs values (1, 'ann'), (2, 'bob'), (3, 'ann')`,
      plugins: [mine],
      settings: { trace_debug: true, reply_cache_kb: 0 },
    });
    const listed = async (id: string) => {
      const { json } = await rowhouse.get("/library.json?_trace=1", { as: { id } });
      const statements: readonly string[] = json["_trace"].traces.map(({ sql }: { sql: string }) => sql);
      const counts = statements.filter((sql) => sql.startsWith("select count(*)"));
      return [json.tables[0].count, counts.length];
    };

    expect(await listed("ann")).to.deep.equal([2, 1]);
    expect(await listed("ann")).to.deep.equal([2, 0]);
    expect(await listed("bob")).to.deep.equal([1, 1]);
    expect(await listed("ann")).to.deep.equal([2, 0]);

    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("insert into docs values (4, 'ann')"));

    expect(await listed("ann")).to.deep.equal([3, 1]);
    expect(await listed("bob")).to.deep.equal([1, 1]);
  });
});
