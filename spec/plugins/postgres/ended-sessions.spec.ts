import { expect } from "chai";
import { Client } from "pg";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { until } from "../../harness/until.js";
import { needPooler, startPooler, type Pooler } from "./pooler.js";

const WAITING = "select pid from pg_stat_activity where wait_event_type = 'Lock'";

// Another program keeps a lock, so that the insert waits when its session ends.
describePostgres("an insert into a PostgreSQL database whose session ends", (server) => {
  let rowhouse: TestRowhouse;
  let other: Client;
  let pooler: Pooler | null = null;
  let database = "";

  async function open(mode: "session" | "transaction" | null): Promise<void> {
    const uri = await server().createDatabase("create table notes (text text)");
    database = uri.split("/").at(-1) ?? "";
    rowhouse = await rowhouseFor();
    pooler = mode === null ? null : await startPooler(server(), mode);
    const address =
      pooler === null ? uri : `${uri.replace(String(server().port), String(pooler.port))}?pooler=${mode}`;
    await until(() =>
      rowhouse.rowhouse.addDatabase({ uri: address, name: "shop", mutable: true }).then(
        () => true,
        () => false,
      ),
    );
    await rowhouse.rowhouse.databases.get("shop")?.schema();
    other = new Client({ connectionString: uri });
    other.on("error", () => undefined);
    await other.connect();
  }
  const isReady = (): Promise<boolean> =>
    server()
      .run("select 1")
      .then(
        () => true,
        () => false,
      );

  /** @param end ends the session of the server whose process is given */
  async function insertWhile(end: (pid: number) => Promise<unknown>): Promise<TestReply> {
    await other.query("begin; lock table notes");
    const inserting = rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { text: "a" } } });
    let pid = 0;
    await until(async () => {
      pid = Number((await server().run(WAITING))[0]?.["pid"] ?? 0);
      return pid !== 0;
    });
    await end(pid);
    await other.query("commit").catch(() => undefined);
    return inserting;
  }

  const stored = async (): Promise<readonly unknown[]> =>
    (await server().run("select text from notes", database)).map(({ text }) => text);

  for (const mode of [null, "session", "transaction"] as const) {
    describe(mode === null ? "without a pooler" : `behind PgBouncer in ${mode} mode`, () => {
      if (mode !== null) needPooler();
      beforeEach(() => open(mode));
      afterEach(async () => {
        await other.end();
        await pooler?.stop();
      });

      it("is repeated if an administrator ends it, because the server rolls it back", async () => {
        const { status } = await insertWhile((pid) => server().run(`select pg_terminate_backend(${pid})`));

        expect(status).to.equal(201);
        expect(await stored()).to.deep.equal(["a"]);
      });

      it("is not repeated if the server crashes, and its outcome is called unknown", async () => {
        const { status, json } = await insertWhile(async (pid) => {
          const ended = new Promise((resolve) => other.once("end", resolve));
          process.kill(pid, "SIGKILL");
          // The server ends all sessions, and starts again.
          await ended;
          await until(isReady);
        });

        expect(status).to.equal(503);
        expect(json).to.have.property("code", "UNKNOWN_OUTCOME");
        expect(await stored()).to.deep.equal([]);
      });
    });
  }
});
