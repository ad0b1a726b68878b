import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const books = [
  { id: 1, title: "Emma", price: 9.5 },
  { id: 2, title: "Persuasion", price: 8 },
];

const library = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ tables: { books }, ...contents });

const versionOf = async (rowhouse: TestRowhouse, path = "books/1"): Promise<string> => {
  const { headers } = await rowhouse.get(`/library/${path}.json?_extras=version`, { as: "root" });
  return headers.etag ?? "";
};

const write = (
  rowhouse: TestRowhouse,
  action: "update" | "delete",
  ifMatch: string,
  json: object = {},
): Promise<TestReply> =>
  rowhouse.post(`/library/books/1/-/${action}`, { as: "root", json, headers: { "if-match": ifMatch } });

describe("the version of a row", () => {
  it("is the entity tag of its JSON with _extras=version", async () => {
    const rowhouse = await library();

    expect(await versionOf(rowhouse)).to.match(/^"[\w-]{22}"$/);
    const plain = await rowhouse.get("/library/books/1.json");
    expect(plain.headers.etag).to.match(/^W\//);
  });

  it("is a strong tag for clients that accept compression, also of a long row", async () => {
    const rowhouse = await library({ tables: { books: [{ id: 1, title: "long ".repeat(1000) }] } });
    const path = "/library/books/1.json?_extras=version";
    const { headers } = await rowhouse.get(path, { as: "root", headers: { "accept-encoding": "gzip, br" } });

    expect(headers.etag).to.equal(await versionOf(rowhouse));
    expect(headers["cache-control"]).to.equal("private, max-age=5, no-transform");
    expect((await write(rowhouse, "update", headers.etag ?? "", { update: {} })).status).to.equal(200);
  });

  it("moves with the row, and with nothing else", async () => {
    const rowhouse = await library();
    const before = await versionOf(rowhouse);

    await rowhouse.post("/library/books/2/-/update", { as: "root", json: { update: { title: "x" } } });
    expect(await versionOf(rowhouse)).to.equal(before);
    await rowhouse.post("/library/books/1/-/update", { as: "root", json: { update: { price: 9 } } });
    const after = await versionOf(rowhouse);
    expect(after).to.not.equal(before);
    await rowhouse.post("/library/books/1/-/update", { as: "root", json: { update: { price: 9.5 } } });
    expect(await versionOf(rowhouse)).to.equal(before);
  });

  it("distinguishes values that are equal in JSON", async () => {
    const rowhouse = await library({
      tables: {},
      sql: "create table t (id integer primary key, a); insert into t values (1, 'a'), (2, x'61'), (3, 1), (4, 1.0), (5, '1')",
    });
    const versions = await Promise.all([2, 3, 4, 5].map((id) => versionOf(rowhouse, `t/${id}`)));

    // The key differs from row to row; the values are what is to differ.
    await rowhouse.query("update t set id = -id");
    expect(new Set(versions).size).to.equal(4);
    const seen: string[] = [];
    for (const value of ["'a'", "x'61'", "1", "1.0", "'1'", "null", "9e999", "-9e999"]) {
      await rowhouse.query(`update t set a = ${value} where id = -1`);
      seen.push(await versionOf(rowhouse, "t/-1"));
    }
    expect(new Set(seen).size).to.equal(8);
  });

  it("is read for many rows at once, with their values as the actor may read them", async () => {
    const rowhouse = await library({
      tables: {},
      sql: `create table books (id integer primary key, title text, isbn int, secret text);
        insert into books values (1, 'Emma', 9007199254740993, 'x'), (2, 'Hidden', 1, 'y');`,
      plugins: [
        definePlugin({
          name: "rules",
          read_scope: () => ({ table: "books", where: "id <> 2", hiddenColumns: ["secret"] }),
        }),
      ],
    });
    const keys = ["1", 7, ["2"], "x"];

    const reply = await rowhouse.post("/library/books/-/rows?_bigint=text", { json: { keys } });

    const row = { id: 1, title: "Emma", isbn: "9007199254740993" };
    const version = await versionOf(rowhouse);
    expect(reply.json).to.deep.equal({ ok: true, rows: [{ version, row }, null, null, null] });
  });

  it("is refused for many rows without view-table, and for what is no list of keys", async () => {
    const rowhouse = await library({
      metadata: { databases: { library: { tables: { books: { allow: { id: "root" } } } } } },
      settings: { max_batch_operations: 2 },
    });
    const read = (json: object, as?: string): Promise<TestReply> =>
      rowhouse.post("/library/books/-/rows", { json, ...(as !== undefined && { as }) });

    expect((await read({ keys: ["1"] })).status).to.equal(403);
    for (const json of [
      {},
      { keys: 1 },
      { keys: [null] },
      { keys: [["1", "2"]] },
      { keys: [1, 2, 3] },
      { keys: [], x: 1 },
    ])
      expect((await read(json, "root")).status, JSON.stringify(json)).to.equal(400);
  });

  it("is not told of a row that is not there", async () => {
    const rowhouse = await library();

    const reply = await rowhouse.get("/library/books/77.json?_extras=version");

    expect(reply.status).to.equal(404);
    expect(reply.headers.etag).to.equal(undefined);
  });
});

describe("If-Match", () => {
  it("writes to an unchanged row, and returns its new version", async () => {
    const rowhouse = await library();

    const reply = await write(rowhouse, "update", await versionOf(rowhouse), { update: { price: 7 } });

    expect([reply.status, reply.json]).to.deep.equal([200, { ok: true }]);
    expect(reply.headers.etag).to.equal(await versionOf(rowhouse));
    const again = await write(rowhouse, "update", reply.headers.etag ?? "", { update: { price: 6 } });
    expect(again.status).to.equal(200);
    expect((await write(rowhouse, "delete", again.headers.etag ?? "")).status).to.equal(200);
  });

  for (const action of ["update", "delete"] as const) {
    it(`keeps a row from ${action} that has changed since`, async () => {
      const rowhouse = await library();
      const version = await versionOf(rowhouse);
      await rowhouse.query("update books set price = 1 where id = 1");

      const reply = await write(rowhouse, action, version, { update: { price: 7 } });

      expect([reply.status, reply.json]).to.deep.equal([412, { ok: false, errors: ["The row has changed"] }]);
      expect((await rowhouse.rows("books"))[0]).to.deep.equal({ id: 1, title: "Emma", price: 1 });
      expect(rowhouse.events).to.deep.equal([]);
    });
  }

  it("lets one of two writers through that read the same", async () => {
    const rowhouse = await library();
    const version = await versionOf(rowhouse);

    const replies = await Promise.all(
      [1, 2, 3, 4].map((price) => write(rowhouse, "update", version, { update: { price } })),
    );

    expect(replies.map(({ status }) => status).toSorted()).to.deep.equal([200, 412, 412, 412]);
  });

  it("takes several tags, and * for any", async () => {
    const rowhouse = await library();
    const version = await versionOf(rowhouse);

    expect((await write(rowhouse, "update", `"other", ${version}`, { update: {} })).status).to.equal(200);
    expect((await write(rowhouse, "update", "*", { update: {} })).status).to.equal(200);
    expect((await write(rowhouse, "update", `W/${version}`, { update: {} })).status).to.equal(412);
    const wrong = await write(rowhouse, "update", "nonsense", { update: {} });
    expect([wrong.status, wrong.json.errors]).to.deep.equal([400, ["Invalid If-Match header"]]);
  });

  it("needs view-table: the reply reveals whether a guess was right", async () => {
    const rowhouse = await library();
    const version = await versionOf(rowhouse);
    const token = await rowhouse.rowhouse.service("tokens").createToken("root", {
      restrictResource: { library: { books: ["update-row"] } },
    });

    const reply = await rowhouse.post("/library/books/1/-/update", {
      token,
      json: { update: {} },
      headers: { "if-match": version },
    });

    expect([reply.status, reply.json.errors]).to.deep.equal([
      403,
      ["Permission denied: need view-table to use If-Match"],
    ]);
  });

  it("is about what the actor can read of the row", async () => {
    const narrow = definePlugin({
      name: "narrow",
      read_scope: (_rowhouse, { actor }) =>
        actor?.id === "root" ? { table: "books", hiddenColumns: ["price"] } : null,
    });
    const rowhouse = await library({ plugins: [narrow] });
    const version = await versionOf(rowhouse);

    await rowhouse.query("update books set price = 1");
    expect((await write(rowhouse, "update", version, { update: { title: "x" } })).status).to.equal(200);
  });
});

describe("If-Match where there is no one row", () => {
  const requests: readonly (readonly [path: string, json: object])[] = [
    ["-/batch", { operations: [{ op: "update", table: "books", key: 1, update: { price: 1 } }] }],
    ["books/-/insert", { row: { id: 3 } }],
    ["books/-/upsert", { row: { id: 1, price: 1 } }],
    ["books/-/update", { filters: { id: 1 }, update: { price: 1 } }],
    ["books/-/delete", { filters: { id: 1 } }],
    ["books/-/drop", { confirm: true }],
  ];
  for (const [path, json] of requests) {
    it(`is refused, not passed over: ${path}`, async () => {
      const rowhouse = await library();

      const reply = await rowhouse.post(`/library/${path}`, {
        as: "root",
        json,
        headers: { "if-match": '"AAAAAAAAAAAAAAAAAAAAAA"' },
      });

      expect(reply.status).to.equal(400);
      expect(reply.json.errors).to.deep.equal([
        "If-Match is for the update or deletion of one row, by its own path",
      ]);
      expect(await rowhouse.rows("books")).to.deep.equal(books);
    });
  }
});
