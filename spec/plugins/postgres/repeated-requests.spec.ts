import { expect } from "chai";
import { Client } from "pg";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { until } from "../../harness/until.js";

const WAITING = "select pid from pg_stat_activity where wait_event_type = 'Lock'";

describePostgres("an Idempotency-Key that two servers of one PostgreSQL database get at once", (server) => {
  let servers: readonly TestRowhouse[];
  let uri = "";
  let other: Client;
  before(async () => {
    uri = await server().createDatabase("create table notes (id int primary key, text text)");
    servers = await Promise.all([rowhouseFor(), rowhouseFor()]);
    for (const { rowhouse } of servers) await rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });
  beforeEach(async () => {
    other = new Client({ connectionString: uri });
    await other.connect();
  });
  afterEach(() => other.end());

  /** The replies of both servers to a request that both have while the table is locked. */
  async function sentToBoth(path: string, json: object, key: string): Promise<readonly TestReply[]> {
    await other.query("begin; lock table notes in exclusive mode");
    const headers = { "idempotency-key": key };
    const replies = servers.map((rowhouse) => rowhouse.post(`/shop/${path}`, { as: "root", headers, json }));
    await until(async () => (await server().run(WAITING)).length === 2);
    await other.query("commit");
    return Promise.all(replies);
  }

  // The first one also makes the table of the replies.
  for (const id of [1, 2]) {
    it(`stores a row once, and both reply the same (${id})`, async () => {
      const [one, two] = await sentToBoth("notes/-/insert", { row: { id, text: "a" } }, `row ${id}`);

      expect([one?.status, two?.status]).to.deep.equal([201, 201]);
      expect(one?.text).to.equal(two?.text);
      const replayed = [one, two].filter((reply) => reply?.headers["idempotency-replayed"] === "true");
      expect(replayed).to.have.length(1);
    });
  }

  it("runs a batch once", async () => {
    const operations = [{ op: "insert", table: "notes", row: { id: 9, text: "b" } }];

    const replies = await sentToBoth("-/batch", { operations }, "batch");

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
  });
});
