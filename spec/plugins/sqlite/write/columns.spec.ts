import { expect } from "chai";
import type { Transaction } from "rowhouse/plugin-api";
import { failure } from "../../../harness/failures.js";
import { columnLookups } from "../column-lookups.js";
import { sqliteFile } from "../open-sqlite.js";

const TABLE = "create table t (id integer primary key, a); insert into t values (1, 'x')";

const columnsOf = async (transaction: Transaction): Promise<readonly string[]> =>
  (await transaction.all("select * from t")).columns;

describe("The columns of a query in a write", () => {
  it("are looked up once for all writes", async () => {
    const { database } = await sqliteFile(TABLE);
    const lookups = await columnLookups(async () => {
      for (let write = 0; write < 3; write++)
        expect(await database.write(columnsOf)).to.deep.equal(["id", "a"]);
    });

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
