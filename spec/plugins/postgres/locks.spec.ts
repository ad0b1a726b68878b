import { expect } from "chai";
import { Client } from "pg";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { until } from "../../harness/until.js";

const LOCK_WAIT_MS = 1_000;
const WAITING = "select pid from pg_stat_activity where wait_event_type = 'Lock'";

describePostgres("inserts that wait for locks of a PostgreSQL database", (server) => {
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

  it("wait no longer after a statement that failed than before it", async () => {
    await other.query("lock table notes in exclusive mode");
    const began = performance.now();
    const writing = rowhouse.rowhouse.database("shop").write(
      async (transaction) => {
        await transaction.run("select 1 / 0").catch(() => undefined);
        await transaction.run("insert into notes values (9)");
      },
      { timeoutMs: LOCK_WAIT_MS / 10 },
    );

    expect((await failure(writing)).name).to.equal("DatabaseUnavailable");
    expect(performance.now() - began).to.be.below(LOCK_WAIT_MS / 2);
  });
});

describePostgres("pages of a PostgreSQL database while another program changes a table", (server) => {
  let uri: string;
  let rowhouse: TestRowhouse;
  let other: Client;
  beforeEach(async () => {
    uri = await server().createDatabase(
      `create table notes (id int primary key);
       create table texts (id int primary key, text text default 'a');
       create view shown as select id from texts;`,
    );
    rowhouse = await rowhouseFor({
      settings: { lock_wait_ms: LOCK_WAIT_MS, sql_time_limit_ms: LOCK_WAIT_MS / 2 },
    });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    other = new Client({ connectionString: uri });
    await other.connect();
    await other.query("begin; drop table texts cascade");
    // A change of another table, after which the schema is read again.
    await server().run("create table more (id int)", uri.split("/").at(-1));
  });
  afterEach(() => other.end());

  it("are answered with 503 if the schema can't be read before lock_wait_ms has passed", async () => {
    const began = performance.now();
    const { status } = await rowhouse.get("/shop/notes.json");

    expect(status).to.equal(503);
    expect(performance.now() - began).to.be.within(LOCK_WAIT_MS, 3 * LOCK_WAIT_MS);
    await other.query("rollback");
    expect((await rowhouse.get("/shop/notes.json")).status).to.equal(200);
  });

  it("list the table without waiting for it", async () => {
    await other.query("rollback");
    const patient = await rowhouseFor({
      settings: { lock_wait_ms: 10 * LOCK_WAIT_MS, sql_time_limit_ms: LOCK_WAIT_MS / 2 },
    });
    await patient.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    await patient.get("/shop/notes.json");
    await other.query("begin; lock table texts");
    const began = performance.now();
    const replies = await Promise.all(["/", "/shop", "/shop.json"].map((path) => patient.get(path)));

    for (const { status, text } of replies) expect(status, text).to.equal(200);
    expect(performance.now() - began).to.be.lessThan(5 * LOCK_WAIT_MS);
  });

  it("say that they may have waited for a lock", async () => {
    await other.query("rollback");
    await rowhouse.get("/shop/texts.json");
    await other.query("begin; lock table texts");
    const { status, text } = await rowhouse.get("/shop/texts.json?_size=1");

    expect(status).to.equal(400);
    expect(text).to.contain("took too long").and.to.contain("waited for a lock");
  });

  it("are shown after the table has been dropped while its definition was read", async () => {
    const reading = rowhouse.get("/shop/notes.json");
    await until(async () => (await server().run(WAITING)).length > 0);
    await other.query("commit");
    const { status, text } = await reading;

    expect(status, text).to.equal(200);
  });
});
