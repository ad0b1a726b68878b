import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Client } from "pg";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("the schema of a Postgres database", (server) => {
  it("has a table from its creation on, also if the schema before it is still being read", async () => {
    const tables = Array.from({ length: 600 }, (_, index) => `create table t${index} (a int, b int);`);
    const uri = await server().createDatabase(tables.join("\n"));
    const { rowhouse } = await rowhouseFor();
    const database = await rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const other = new Client({ connectionString: uri });
    await other.connect();
    const missing: number[] = [];

    for (let round = 0; round < 8; round += 1) {
      await other.query(`create table before${round} (a int)`);
      const reading = database.schema();
      await sleep(5 * (round + 1));
      await other.query(`create table after${round} (a int)`);
      if (!(await database.schema()).tables.has(`after${round}`)) missing.push(round);
      await reading;
    }

    await other.end();
    expect(missing).to.deep.equal([]);
  });
});
