import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("a stream of large rows from PostgreSQL", (server) => {
  it("comes in batches that are small in memory", async () => {
    const rowhouse = await rowhouseFor();
    const uri = await server().createDatabase();
    const database = await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const lengths: number[] = [];

    const large = "select repeat('x', 500000) as text from generate_series(1, 200)";
    for await (const { rows } of database.stream(large)) lengths.push(String(rows).length);

    expect(lengths.reduce((sum, length) => sum + length)).to.be.above(100_000_000);
    expect(Math.max(...lengths)).to.be.below(30_000_000);
  });
});
