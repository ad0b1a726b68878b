import { expect } from "chai";
import { Client } from "pg";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const LOCK_WAIT_MS = 1_000;

describePostgres("inserts that wait for locks of a Postgres database", (server) => {
  let rowhouse: TestRowhouse;
  let other: Client;
  beforeEach(async () => {
    const uri = await server().createDatabase("create table notes (id int primary key)");
    rowhouse = await rowhouseFor({ settings: { lock_wait_ms: LOCK_WAIT_MS } });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    await insert(0);
    other = new Client({ connectionString: uri });
    await other.connect();
    await other.query("begin");
  });
  afterEach(() => other.end());

  const insert = (id: number): Promise<TestReply> =>
    rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { id } } });

  /** The statuses of inserts that are sent together, and how long all of them took. */
  async function inserts(ids: readonly number[]): Promise<{ statuses: readonly number[]; ms: number }> {
    const began = performance.now();
    const replies = await Promise.all(ids.map(insert));
    return { statuses: replies.map(({ status }) => status), ms: performance.now() - began };
  }

  it("wait for a locked table together, and not one after the other", async () => {
    await other.query("lock table notes");
    const { statuses, ms } = await inserts([1, 2, 3, 4, 5, 6, 7, 8]);

    expect(new Set(statuses)).to.deep.equal(new Set([503]));
    // The first may have run by itself. One after the other they take eight times as long.
    expect(ms).to.be.within(LOCK_WAIT_MS, 6 * LOCK_WAIT_MS);
  });

  it("fail only for a row that another program inserts", async () => {
    await other.query("insert into notes values (3)");
    const { statuses } = await inserts([1, 2, 3, 4, 5]);
    await other.query("rollback");

    expect(statuses).to.deep.equal([201, 201, 503, 201, 201]);
    expect((await insert(3)).status).to.equal(201);
  });
});
