import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { WriteWrapper } from "rowhouse/plugin-api/contracts";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { workplace } from "../../cli/command.js";

const wrapping = (wrapper: WriteWrapper, table = "books"): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }], diary: [{ id: 1, line: "begun" }] },
    plugins: [
      definePlugin({
        name: "around",
        write_wrapper: (_rowhouse, about) => (about.table === table ? wrapper : null),
      }),
    ],
  });

const insert = (rowhouse: TestRowhouse, row: object = { id: 2, title: "Persuasion" }): Promise<TestReply> =>
  rowhouse.post("/library/books/-/insert", { as: "root", json: { row } });

describe("write_wrapper", () => {
  it("lets a plugin write along, in the same transaction", async () => {
    const rowhouse = await wrapping(async (write, transaction) => {
      await write();
      await transaction.run("insert into diary (line) values ('a book came')");
    });

    const kept = await insert(rowhouse);
    const refused = await insert(rowhouse);

    expect([kept.status, refused.status]).to.deep.equal([201, 400]);
    expect(await rowhouse.rows("diary")).to.deep.equal([
      { id: 1, line: "begun" },
      { id: 2, line: "a book came" },
    ]);
  });

  it("shows a plugin the error of the write, which remains the reply although the plugin catches it", async () => {
    const seen: unknown[] = [];
    const rowhouse = await wrapping(async (write) => {
      await write().catch((error: Error) => seen.push(error.message));
    });

    const reply = await insert(rowhouse, { id: 1, title: "again" });

    expect(reply.status).to.equal(400);
    expect(reply.json.errors).to.deep.equal(["UNIQUE constraint failed: books.id"]);
    expect(seen).to.deep.equal(["UNIQUE constraint failed: books.id"]);
  });

  it("has the answer of the write whatever a plugin returns", async () => {
    const rowhouse = await wrapping(async (write) => {
      await write();
      return "something else";
    });

    expect((await insert(rowhouse)).json).to.deep.equal({ ok: true, rows: [{ id: 2, title: "Persuasion" }] });
  });

  const careless: readonly (readonly [what: string, wrapper: WriteWrapper])[] = [
    ["never runs it", async () => undefined],
    ["runs it twice", async (write) => [await write(), await write()]],
    [
      "runs it, does not wait and throws",
      async (write) => {
        void write();
        throw new Error("in a hurry");
      },
    ],
  ];
  for (const [what, wrapper] of careless) {
    it(`fails, and the write with it, where a plugin ${what}`, async () => {
      const rowhouse = await wrapping(wrapper);

      const reply = await insert(rowhouse);

      expect(reply.status).to.equal(500);
      expect(rowhouse.logged.join("\n")).to.include("Plugin around failed in write_wrapper");
      expect(await rowhouse.rows("books")).to.have.length(1);
      expect(rowhouse.events).to.deep.equal([]);
    });
  }

  it("wraps canned queries that write, too", async () => {
    const seen: unknown[] = [];
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }] },
      metadata: { databases: { library: { queries: { shout: { sql: SHOUT, write: true } } } } },
      plugins: [
        definePlugin({
          name: "watch",
          write_wrapper:
            (_rowhouse, { database, table, actor }) =>
            async (write) => {
              seen.push([database, table, actor?.id ?? null, await write()]);
            },
        }),
      ],
    });

    await rowhouse.post("/library/shout?_json=1", { json: {} });

    expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "EMMA" }]);
    expect(seen).to.deep.equal([["library", null, null, { changes: 1, lastInsertRowid: 0 }]]);
    expect(rowhouse.events).to.have.length(1);
    expect(rowhouse.events[0]).to.deep.include({ name: "write-query", query: "shout", num_rows: 1 });
  });
});

const SHOUT = "update books set title = upper(title)";

const GUARD = `
  export default {
    write_wrapper: (rowhouse, { database, table, actor }) => async (write, transaction) => {
      await write();
      const { rows } = await transaction.all("select count(*) from t");
      if (rows[0][0] > 3) throw new Error("The table is full");
      rowhouse.log.info(\`\${actor === null ? "somebody" : actor.id} wrote to \${database}/\${table}: \${rows[0][0]} rows\`);
    },
  };
`;

describe("a plugin file in --plugins-dir", () => {
  const place = workplace();

  it("observes writes, and refuses one after it has seen what it would do", async () => {
    await place.database("data.db");
    place.write({ "plugins/guard.mjs": GUARD, "metadata.json": { permissions: { "insert-row": true } } });
    const server = await place.serve(["data.db", "-m", "metadata.json", "--plugins-dir", "plugins"]);
    const post = (name: string): Promise<Response> =>
      fetch(`${server.url}/data/t/-/insert`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ row: { name } }),
      });

    const statuses = [(await post("three")).status, (await post("four")).status];
    const rows = (await (await fetch(`${server.url}/data/t.json?_shape=array`)).json()) as unknown[];

    expect(statuses).to.deep.equal([201, 500]);
    expect(rows).to.have.length(3);
    expect((await server.stop()).stderr).to.include("somebody wrote to data/t: 3 rows");
  });
});
