import { expect } from "chai";
import type { Transaction } from "rowhouse/plugin-api";
import { Connection } from "../../../../plugins/sqlite/open/connection.js";
import { failure } from "../../../harness/failures.js";
import { sqliteFile } from "../open-sqlite.js";

const TABLE = "create table t (id integer primary key, a); insert into t values (1, 'x')";

const columnsOf = async (transaction: Transaction): Promise<readonly string[]> =>
  (await transaction.all("select * from t")).columns;

describe("The columns of a query in a write", () => {
  it("are looked up once for all writes", async () => {
    const { database } = await sqliteFile(TABLE);
    const { once } = Connection.prototype;
    let lookups = 0;
    Connection.prototype.once = function (this: Connection, bound, limits) {
      if (bound.sql.startsWith("explain create temp table")) lookups += 1;
      return once.call(this, bound, limits) as never;
    };
    try {
      for (let write = 0; write < 3; write++)
        expect(await database.write(columnsOf)).to.deep.equal(["id", "a"]);
    } finally {
      Connection.prototype.once = once;
    }

    expect(lookups).to.equal(1);
  });

  it("are those of its schema, also after another schema was rolled back", async () => {
    const { database } = await sqliteFile(TABLE);
    expect(await database.write(columnsOf)).to.deep.equal(["id", "a"]);

    const rolledBack = database.write(async (transaction) => {
      await transaction.run("alter table t add column b");
      throw new Error((await columnsOf(transaction)).join());
    });
    expect(await failure(rolledBack)).to.include({ message: "id,a,b" });
    const altered = await database.write(async (transaction) => {
      await transaction.run("alter table t add column c");
      return columnsOf(transaction);
    });
    expect(altered).to.deep.equal(["id", "a", "c"]);
    expect(await database.write(columnsOf)).to.deep.equal(["id", "a", "c"]);
  });
});
