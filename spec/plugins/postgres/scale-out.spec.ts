import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { workplace, type Serving } from "../../cli/command.js";
import { describePostgres } from "../../harness/postgres.js";
import { startPair, type Pair } from "./pair.js";

/** Headers of one client. */
type Headers = Readonly<Record<string, string>>;

const COUNT = "/shop/notes.json?_size=0&_nosuggest=1";

async function countSeenBy({ url }: Serving, headers: Headers = {}): Promise<number | null> {
  const reply = await fetch(new URL(COUNT, url), { headers });
  const { filtered_table_rows_count: count } = (await reply.json()) as Record<string, number | null>;
  return count ?? null;
}

async function insert({ url }: Serving, headers: Headers = {}): Promise<Response> {
  const reply = await fetch(new URL("/shop/notes/-/insert", url), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ row: { text: "new" } }),
  });
  expect(reply.status, await reply.clone().text()).to.equal(201);
  return reply;
}

/** Repeats a check until it holds, for a minute at most. */
async function eventually(check: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(100))
    if (await check()) return;
  throw new Error(`It did not happen: ${what}`);
}

describePostgres("reads from a standby", () => {
  const place = workplace();
  let pair: Pair;
  let one: Serving;
  let two: Serving;
  before(async function () {
    this.timeout(180_000);
    pair = await startPair({ isSynchronous: false });
    const { primary, standby } = pair;
    await primary.run("create database shop");
    await primary.run(
      "create table notes (id int primary key generated always as identity, text text)",
      "shop",
    );
    await eventually(
      () =>
        standby.run("select 1 from notes", "shop").then(
          () => true,
          () => false,
        ),
      "the standby has the table",
    );
    place.write({
      "metadata.json": { databases: { shop: { permissions: { "insert-row": true } } } },
    });
    const uri = `postgres://rowhouse@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/shop`;
    const words = [
      uri,
      "-m",
      "metadata.json",
      "--secret",
      "shared",
      "--setting",
      "max_replica_lag_seconds",
      "600",
    ];
    [one, two] = await Promise.all([place.serve(words), place.serve(words)]);
  });
  after(async () => {
    await Promise.all([one.stop("SIGKILL"), two.stop("SIGKILL")]);
    await Promise.all([pair.primary.stop(), pair.standby.stop()]);
  });

  it("shows each client its own writes in every process, while others read from the standby", async () => {
    await eventually(
      async () => (await countSeenBy(one)) === 0 && (await countSeenBy(two)) === 0,
      "both serve",
    );
    await pair.standby.run("select pg_wal_replay_pause()");

    const reply = await insert(one);
    const position = reply.headers.get("rowhouse-position") ?? "";
    const [cookie = ""] = (reply.headers.getSetCookie()[0] ?? "").split(";");

    expect(cookie).to.equal(`rowhouse_position=${position}`);
    expect(await countSeenBy(two), "another client").to.equal(0);
    expect(await countSeenBy(one), "another client of the same process").to.equal(0);
    expect(await countSeenBy(two, { "rowhouse-position": position })).to.equal(1);
    expect(await countSeenBy(one, { cookie })).to.equal(1);
    expect(await countSeenBy(two, { "rowhouse-position": `${position}x` }), "a forged position").to.equal(0);

    await pair.standby.run("select pg_wal_replay_resume()");
    await eventually(async () => (await countSeenBy(two)) === 1, "the standby catches up");
  });

  it("remembers the writes of a token, and reads from the primary when the standby is gone", async () => {
    await eventually(async () => (await countSeenBy(one)) === 1, "the standby has the first row");
    await pair.standby.run("select pg_wal_replay_pause()");
    const token = { authorization: "Bearer some-token" };
    await insert(one, token);

    expect(await countSeenBy(one, token)).to.equal(2);
    expect(await countSeenBy(one)).to.equal(1);

    await pair.standby.kill();
    await eventually(
      async () => (await countSeenBy(one)) === 2 && (await countSeenBy(two)) === 2,
      "reads continue",
    );
  });
});
