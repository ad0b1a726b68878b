import { request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { openRaw } from "../harness/raw-sqlite.js";
import { join } from "node:path";

const METADATA = {
  permissions: { "insert-row": true, "create-table": true },
  databases: { data: { queries: { up: { sql: "update t set name = name + 1 where id = 1", write: true } } } },
};

const JSON_TYPE = { "content-type": "application/json" };

const post = (server: Serving, path: string, document: object): Promise<Response> =>
  fetch(server.url + path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(document) });

const rowsOf = async (server: Serving): Promise<unknown> =>
  (await fetch(`${server.url}/data/t.json?_shape=arrays`)).json();

describe("Two servers on one file", () => {
  const place = workplace();
  for (const journal of ["delete", "wal"]) {
    it(`lose no update, and neither shows what the other has changed (${journal})`, async () => {
      await place.database(
        `${journal}/data.db`,
        `pragma journal_mode = ${journal}; create table t (id integer primary key, name); insert into t values (1, 0)`,
      );
      place.write({ "metadata.json": METADATA });
      const words = [`${journal}/data.db`, "-m", "metadata.json"];
      const servers = await Promise.all([place.serve(words), place.serve(words)]);
      const [left, right] = servers;

      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, turn) => post(servers[turn % 2] ?? left, "/data/up?_json=1", {})),
      );
      expect(await Promise.all(replies.map((reply) => reply.json()))).to.deep.equal(
        replies.map(() => ({ ok: true, message: "Query executed, 1 row affected", redirect: null })),
      );

      for (const server of servers) expect(await rowsOf(server)).to.have.nested.property("rows[0][1]", 40);
      for (const [id, server, reader] of [
        [2, left, right],
        [3, right, left],
      ] as const) {
        expect((await post(server, "/data/t/-/insert", { row: { id, name: "new" } })).status).to.equal(201);
        expect(await rowsOf(reader))
          .to.have.property("rows")
          .with.length(id);
      }
      await post(left, "/data/-/create", { table: "made", columns: [{ name: "a" }] });
      expect((await fetch(`${right.url}/data/made.json`)).status).to.equal(200);
      await Promise.all(servers.map((server) => server.stop()));
    });
  }
});

describe("SIGTERM", () => {
  const place = workplace();

  it("lets an export under way and every write that was sent come to their end, then exits with 0", async () => {
    await place.database(
      "data.db",
      `create table t (id integer primary key, name);
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
       insert into t select i, printf('%.*c', 100, 'x') from n;
       create table w (id integer primary key)`,
    );
    place.write({ "metadata.json": METADATA });
    const server = await place.serve(["data.db", "-m", "metadata.json"]);
    const exporting = request(`${server.url}/data/t.csv?_stream=on&_size=max`);
    exporting.end();
    const [reply] = (await once(exporting, "response")) as [IncomingMessage];
    let text = "";
    for await (const piece of reply.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      text += piece as string;
      break;
    }
    const writing = Array.from({ length: 20 }, (_, id) => post(server, "/data/w/-/insert", { row: { id } }));
    await Promise.race(writing);

    const stopping = server.stop("SIGTERM");
    const answered = await Promise.allSettled(writing);
    for await (const piece of reply) text += piece as string;
    const { code } = await stopping;

    expect(code).to.equal(0);
    expect(text.trimEnd().split("\r\n")).to.have.length(60_001);
    const raw = await openRaw(join(place.folder, "data.db"));
    const stored = (await raw.all("select id from w order by id")).map(({ id }) => id);
    await raw.close();
    const acknowledged = answered.flatMap((result, id) =>
      result.status === "fulfilled" && result.value.status === 201 ? [id] : [],
    );
    expect(stored).to.include.members(acknowledged);
    expect(acknowledged).not.to.be.empty;
  });
});
