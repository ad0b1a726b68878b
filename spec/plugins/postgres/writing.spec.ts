import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { SHOP } from "./shop.js";

const ok = async (reply: Promise<TestReply>, status = 200): Promise<TestReply> => {
  const given = await reply;
  expect(given.status, given.text).to.equal(status);
  return given;
};

describePostgres("writing to a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  let count = 0;
  beforeEach(async () => {
    const uri = await server().createDatabase(SHOP);
    count += 1;
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<TestReply> =>
    rowhouse.post(`/shop/${path}`, {
      as: "root",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const token = (): Promise<string> => rowhouse.rowhouse.service("tokens").createToken("root");
  const stored = (sql: string) => server().run(sql, `spec_${count}`);

  it("inserts rows exactly and returns them", async () => {
    const reply = await ok(
      post(
        "books/-/insert",
        '{"rows": [{"id": 9007199254740995, "title": "é", "price": 0.1, "rating": 1e300, "tags": ["a", "b\\"c"], ' +
          '"data": {"x": [1, null]}, "added": "2020-01-01T00:00:00Z", "available": true, "mood": "ok", ' +
          '"cover": {"$base64": true, "encoded": "/wA="}}], "return": true}',
      ),
      201,
    );

    expect(reply.text)
      .to.contain('"id": 9007199254740995, "title": "\\u00e9"')
      .and.to.contain('"price": 0.10');
    const [row] = await stored(
      "select price::text, rating::text, tags, data, cover, available, title_length from books where id > 9007199254740994",
    );
    expect(row).to.deep.equal({
      price: "0.10",
      rating: "1e+300",
      tags: ["a", 'b"c'],
      data: { x: [1, null] },
      cover: Buffer.from([255, 0]),
      available: true,
      title_length: 1,
    });
  });

  it("assigns a key in place of NULL, as SQLite does", async () => {
    const rows = [{ id: 50, name: "A" }, { id: null, name: "B" }, { name: "C" }];
    const first = await ok(post("authors/-/insert", { rows, return: true }), 201);
    const second = await ok(post("authors/-/insert", { row: { id: null, name: "D" } }), 201);
    const headers = { "content-type": "text/csv", authorization: `Bearer ${await token()}` };
    const third = await rowhouse.post("/shop/authors/-/insert?return_keys=1", {
      headers,
      body: "id,name\n60,E\n,F\n",
    });
    const made = {
      table: "made",
      pk: "id",
      rows: [
        { id: null, a: 1 },
        { id: 9, a: 2 },
        { id: null, a: 3 },
      ],
    };
    await ok(post("-/create", made), 201);

    const ids = [first, second].map(({ json }) =>
      (json as { rows: { id: number }[] }).rows.map(({ id }) => id),
    );
    expect(ids).to.deep.equal([[50, 51, 52], [53]]);
    expect(third.json).to.deep.equal({ ok: true, row_count: 2, keys: [60, 61] });
    expect(await stored("select array_agg(id::int order by a) as ids from made")).to.deep.equal([
      { ids: [1, 9, 10] },
    ]);
  });

  const keyTypes: [type: string, kept: string, values: readonly string[]][] = [
    ["bytea", "\\x6162ff", ['{"$base64": true, "encoded": "YWI="}', '{"$base64": true, "encoded": "/wA="}']],
    ["float8", "0.25", ["0.1", "1e300", "5e-324", "2.505606", '"-0"']],
    ["numeric", "1.5", ["1", "2.50", "0.1000000000000000055511151231257827", '"12345678901234567890"']],
    ["char(5)", "ab", ['"a"', '"b c"']],
    ["uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ['"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12"']],
    ["timestamptz", "2020-01-01", ['"2020-01-01 00:00:00.000001+00"', '"infinity"']],
    ["int[]", "{1}", ["[1, 2]", "[]"]],
    ["mood", "sad", ['"ok"']],
    ["isbn", "1-2", ['"1-3"']],
    ["boolean", "true", ["false"]],
  ];
  for (const [type, kept, values] of keyTypes) {
    it(`deletes exactly the rows whose keys of type ${type} an insert has returned`, async () => {
      await stored(`create table keyed (key ${type} primary key); insert into keyed values ('${kept}')`);
      const headers = { authorization: `Bearer ${await token()}` };
      const inserted = await rowhouse.post("/shop/keyed/-/insert?return_keys=1", {
        headers: { ...headers, "content-type": "application/x-ndjson" },
        body: values.map((value) => `{"key": ${value}}`).join("\n"),
      });
      const [, keys = ""] = /"keys": (\[.*\])/.exec(inserted.text) ?? [];

      const deleted = await ok(post("keyed/-/delete", `{"keys": ${keys}}`));

      expect(deleted.json, inserted.text).to.deep.equal({ ok: true, row_count: values.length });
      expect(await stored("select count(*)::int as n from keyed")).to.deep.equal([{ n: 1 }]);
    });
  }

  it("assigns keys after those that were inserted", async () => {
    await ok(post("authors/-/insert", { rows: [{ id: 50, name: "A" }] }), 201);
    const reply = await ok(post("authors/-/insert", { row: { name: "B" }, return: true }), 201);

    expect(reply.json).to.deep.include({ rows: [{ id: 51, name: "B" }] });
  });

  it("fails, ignores or replaces when a key exists", async () => {
    const taken = { rows: [{ id: 1, title: "Other" }] };
    const failed = await post("books/-/insert", taken);
    expect(failed.status).to.equal(400);
    await ok(post("books/-/insert", { ...taken, ignore: true }), 201);
    expect(await stored("select title from books where id = 1")).to.deep.equal([{ title: "Emma" }]);
    await ok(post("books/-/insert", { ...taken, replace: true }), 201);
    expect(await stored("select title, price from books where id = 1")).to.deep.equal([
      { title: "Other", price: null },
    ]);
  });

  it("upserts, the last of equal keys wins", async () => {
    await ok(
      post("books/-/upsert", {
        rows: [
          { id: 1, title: "One" },
          { id: 77, title: "New" },
          { id: 1, title: "Two" },
        ],
      }),
    );

    expect(await stored("select id, title, price from books where id in (1, 77) order by id")).to.deep.equal([
      { id: "1", title: "Two", price: "12.50" },
      { id: "77", title: "New", price: null },
    ]);
  });

  it("updates and deletes a row, also by compound keys, with If-Match", async () => {
    const row = await rowhouse.get("/shop/books/1.json?_extras=version", { as: "root" });
    const etag = row.headers["etag"] ?? "";
    await ok(post("books/1/-/update", { update: { title: "Changed", tags: ["x"] } }, { "if-match": etag }));
    const stale = await post("books/1/-/update", { update: { title: "Again" } }, { "if-match": etag });
    await ok(post("pairs/2,B/-/delete", {}));

    expect(stale.status).to.equal(412);
    expect(await stored("select title, tags from books where id = 1")).to.deep.equal([
      { title: "Changed", tags: ["x"] },
    ]);
    expect(await stored("select count(*)::int as n from pairs")).to.deep.equal([{ n: 24 }]);
  });

  it("updates and deletes the rows that match filters, and shows them in a dry run", async () => {
    const dry = await ok(post("pairs/-/delete", { filters: { a: 3 }, dry_run: true }));
    expect(dry.json).to.deep.include({ dry_run: true, row_count: 5 });
    await ok(post("pairs/-/update", { filters: { b__in: ["A", "B"] }, update: { c: 9 } }));
    await ok(post("pairs/-/delete", { filters: { a__gte: 4 } }));

    expect(
      await stored("select count(*)::int as n, count(*) filter (where c = 9)::int as c from pairs"),
    ).to.deep.equal([{ n: 15, c: 6 }]);
  });

  it("runs a request with an Idempotency-Key once", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await ok(post("authors/-/insert", { row: { name: "C" }, return: true }, headers), 201);
    const second = await ok(post("authors/-/insert", { row: { name: "C" }, return: true }, headers), 201);

    expect(second.json).to.deep.equal(first.json);
    expect(second.headers["idempotency-replayed"]).to.equal("true");
    expect(await stored("select count(*)::int as n from authors where name = 'C'")).to.deep.equal([{ n: 1 }]);
  });

  it("runs all operations of a batch or none", async () => {
    const operations = [
      { table: "authors", insert: { row: { name: "D" } } },
      { table: "books", insert: { row: { id: 1 } } },
    ];
    const failed = await post("-/batch", { operations });

    expect(failed.status).to.equal(400);
    expect(await stored("select count(*)::int as n from authors")).to.deep.equal([{ n: 2 }]);
  });

  it("creates and drops tables, adds columns, indexes and a search", async () => {
    await ok(
      post("-/create", {
        table: "notes",
        rows: [
          { text: "a walk in the park", stars: 4.5 },
          { text: "parking lots", stars: 3 },
        ],
      }),
      201,
    );
    await ok(post("notes/-/insert", { row: { text: "new", "by whom": "ann" }, alter: true }), 201);
    await ok(post("notes/-/create-index", { columns: ["stars", "-text"] }), 201);
    await ok(post("notes/-/enable-search", { columns: ["text"] }), 201);
    const found = await rowhouse.get("/shop/notes.json?_search=park&_nosuggest=1", { as: "root" });

    expect((found.json as { readonly rows: unknown }).rows).to.deep.equal([
      [1, "a walk in the park", 4.5, null],
      [2, "parking lots", 3, null],
    ]);
    await ok(post("notes/-/disable-search", {}));
    await ok(post("notes/-/drop-index", { name: "idx_notes_stars_text" }));
    await ok(post("notes/-/drop", { confirm: true }));
    expect((await rowhouse.get("/shop/notes.json")).status).to.equal(404);
  });

  it("streams rows of CSV and newline-delimited JSON into a table", async () => {
    await ok(
      rowhouse.post("/shop/authors/-/insert", {
        token: await rowhouse.rowhouse.service("tokens").createToken("root"),
        headers: { "content-type": "text/csv" },
        body: "id,name\r\n10,Ann\r\n11,Bo\r\n",
      }),
      201,
    );
    expect(await stored("select name from authors where id > 9 order by id")).to.deep.equal([
      { name: "Ann" },
      { name: "Bo" },
    ]);
  });

  it("answers 400 for values that a column can't hold, and names no statement", async () => {
    const reply = await post("books/-/insert", { row: { id: "x" } });

    expect(reply.status).to.equal(400);
    expect(reply.text).to.contain("invalid input syntax for type bigint").and.not.to.contain("json_array");
  });

  it("checks deferred constraints in a dry run", async () => {
    await server().run(
      "create table loans (id int primary key, author bigint references authors deferrable initially deferred)",
      `spec_${count}`,
    );
    const operations = [{ op: "insert", table: "loans", row: { id: 1, author: 999 } }];

    const tried = await post("-/batch", { operations, dry_run: true });

    expect([tried.status, tried.json]).to.deep.equal([
      400,
      { ok: false, errors: ["FOREIGN KEY constraint failed"] },
    ]);
    await ok(post("-/batch", { operations: [{ ...operations[0], row: { id: 1 } }], dry_run: true }));
  });
  it("reports commits, their size and the load to metrics", async () => {
    const insert = (name: string) => post("authors/-/insert", { row: { name } });
    const database = rowhouse.rowhouse.databases.get("shop");
    const options = { batchSize: 1 };
    const rows = database?.stream("select a from keyless", [], options)[Symbol.asyncIterator]();

    await rows?.next();
    await Promise.all(["A", "B", "C", "D"].map(insert));
    await post("authors/1/-/update", { update: { name: "Jane" } });
    await ok(
      post("-/batch", {
        operations: [{ op: "insert", table: "authors", row: { name: "E" } }],
        dry_run: true,
      }),
    );
    const { text } = await rowhouse.get("/-/metrics", { as: "root" });
    await rows?.return?.();

    const of = (name: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${name}{database="shop"} `))
          ?.split(" ")[1],
      );
    expect(of("rowhouse_commit_writes_sum")).to.equal(5);
    expect(of("rowhouse_commit_writes_count")).to.be.within(2, 5);
    expect(of("rowhouse_commit_duration_seconds_sum")).to.be.above(0);
    expect(of("rowhouse_sql_open_streams")).to.equal(1);
    expect(of("rowhouse_sql_running_reads")).to.be.above(0);
    expect(of("rowhouse_sql_waiting_reads")).to.equal(0);
    expect(of("rowhouse_sql_waiting_writes")).to.equal(0);
    expect(database?.load?.().openStreams).to.equal(0);
  });
});
