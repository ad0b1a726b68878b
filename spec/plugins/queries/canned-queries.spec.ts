import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestRowhouse } from "rowhouse/testing";

const withQueries = (queries: object, contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    ...contents,
    tables: { books: [{ id: 1, title: "Emma" }] },
    metadata: { databases: { library: { queries } } },
  });

const trigger = (name: string): string =>
  `create trigger ${name} after update on books begin delete from books where id = 9; select 1; end`;

describe("Magic parameters of canned queries", () => {
  it("come from the request, and never from its arguments", async () => {
    const rowhouse = await withQueries({ who: "select :_actor_id as id, :_header_x_port as port" });

    const asked = await rowhouse.get("/library/who.json?_actor_id=evil&_header_x_port=evil", {
      as: "ann",
      headers: { "x-port": "Sound" },
    });

    expect(asked.json.rows).to.deep.equal([["ann", "Sound"]]);
  });

  it("stay without a value when there is none", async () => {
    const rowhouse = await withQueries({
      who: "select :_actor_id as id",
      lamp: "select :_cookie_lamp as lamp",
    });

    for (const path of ["/library/who.json?_actor_id=evil", "/library/lamp.json?_cookie_lamp=evil"]) {
      const { status, json } = await rowhouse.get(path);
      expect(status, path).to.equal(400);
      expect(json.error, path).to.match(/^You did not supply a value for binding parameter :_/);
    }
  });

  it("have no values in custom SQL, so that pages of queries with one have no link to it", async () => {
    const queries = {
      plain: "select :id",
      a: "select :_actor_id",
      b: "select @_actor_id",
      c: "select $_actor_id",
    };
    const rowhouse = await withQueries(queries);

    const linked = await Promise.all(
      Object.keys(queries).map(async (name) =>
        (await rowhouse.get(`/library/${name}`, { as: "root" })).text.includes('class="edit-sql"'),
      ),
    );

    expect(linked).to.deep.equal([true, false, false, false]);
  });

  it("of an unknown kind are NULL, whatever the client sends", async () => {
    const rowhouse = await withQueries({ odd: "select :_no_such is null as none" });

    expect((await rowhouse.get("/library/odd.json")).json.rows).to.deep.equal([[1]]);
    expect((await rowhouse.get("/library/odd.json?_no_such=evil")).json.rows).to.deep.equal([[1]]);
  });

  it("come from plugins too", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { databases: { library: { queries: { twice: "select :_double_21 as n" } } } },
      plugins: [
        definePlugin({
          name: "doubles",
          register_magic_parameters: () => [["double", (key: string) => Number(key) * 2] as const],
        }),
      ],
    });

    expect((await rowhouse.get("/library/twice.json")).json.rows).to.deep.equal([[42]]);
  });

  it("of plugins may take their time, and a promise that is rejected is no value", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }] },
      metadata: {
        databases: {
          library: {
            queries: {
              twice: "select :_slow_21 as n",
              none: "select :_slow_x as n",
              rename: { sql: "update books set title = :_slow_4", write: true },
            },
          },
        },
      },
      plugins: [
        definePlugin({
          name: "slow",
          register_magic_parameters: () => [
            [
              "slow",
              async (key: string) => {
                await sleep(1);
                if (key === "x") throw new Error("There is no x");
                return Number(key) * 2;
              },
            ] as const,
          ],
        }),
      ],
    });

    expect((await rowhouse.get("/library/twice.json")).json.rows).to.deep.equal([[42]]);
    const { status, json } = await rowhouse.get("/library/none.json");
    expect(status).to.equal(400);
    expect(json.error).to.equal("You did not supply a value for binding parameter :_slow_x.");
    await rowhouse.post("/library/rename", { json: {}, headers: { accept: "application/json" } });
    expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "8" }]);
  });
});

describe("Canned queries of plugins", () => {
  it("are added to those of the metadata and replace equal names", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { databases: { library: { queries: { one: "select 'metadata' as by" } } } },
      plugins: [
        definePlugin({
          name: "more",
          canned_queries: () => ({
            one: "select 'plugin' as by",
            two: { sql: "select 2 as two", title: "Two" },
          }),
        }),
      ],
    });

    expect((await rowhouse.get("/library/one.json")).json.rows).to.deep.equal([["plugin"]]);
    expect((await rowhouse.get("/library/two.json")).json.rows).to.deep.equal([[2]]);
  });
});

describe("The fragment of a canned query", () => {
  it("is the end of its link as it is written, so that it can open a chart", async () => {
    const rowhouse = await withQueries({
      titles: { sql: "select title from books", fragment: "chart=bar&x=title" },
    });

    const page = (await rowhouse.get("/library")).text;

    expect(page).to.include('<a href="/library/titles#chart=bar&amp;x=title"');
  });
});

describe("POST to a canned query", () => {
  const queries = {
    add: { sql: "insert into books (title) values (:title)", write: true },
    broken: { sql: "insert into nosuch values (:title)", write: true, on_error_message: "Sorry" },
    read: "select 1 as one",
    thanks: {
      sql: "insert into books (title) values (:title)",
      write: true,
      on_success_message: "Thanks",
      on_success_redirect: "/library/books",
    },
  };
  const json = { accept: "application/json" };

  it("runs it with the values of the body, and of nowhere else", async () => {
    const rowhouse = await withQueries(queries);

    const done = await rowhouse.post("/library/add", { headers: json, json: { title: "Persuasion" } });
    const missing = await rowhouse.post("/library/add?title=Sanditon", { headers: json, json: {} });

    expect(done.json).to.deep.equal({
      ok: true,
      message: "Query executed, 1 row affected",
      redirect: null,
    });
    expect(missing.json).to.deep.equal({
      ok: false,
      message: "You did not supply a value for binding parameter :title.",
      redirect: null,
    });
    expect(await rowhouse.rows("books")).to.deep.equal([
      { id: 1, title: "Emma" },
      { id: 2, title: "Persuasion" },
    ]);
  });

  it("rejects If-Match, which no query compares with anything", async () => {
    const rowhouse = await withQueries(queries);
    const add = (value: string) =>
      rowhouse.post("/library/add", {
        headers: { ...json, "if-match": value },
        json: { title: "Persuasion" },
      });

    const [old, all] = [await add('"an old version"'), await add("*")];

    expect([old.status, all.status]).to.deep.equal([400, 200]);
    expect(old.json.errors).to.deep.equal([
      "If-Match is for the update or deletion of one row, by its own path",
    ]);
    expect(await rowhouse.rows("books")).to.have.length(2);
  });

  it("binds numbers as their text with every digit, and null, booleans and lists by their type", async () => {
    const rowhouse = await withQueries({
      add: {
        sql: "insert into books (title) values (typeof(:a) || :a || (:b is null) || :c || :d || typeof(:e) || :e || :f)",
        write: true,
      },
    });

    await rowhouse.post("/library/add", {
      headers: json,
      body: '{"a": 9007199254740993.50, "e": 9007199254740993, "f": 1.50, "b": null, "c": true, "d": [1, "é", 9007199254740993, 0.1234567890123456789]}',
    });

    expect((await rowhouse.rows("books"))[1]).to.deep.include({
      title:
        'text9007199254740993.5011[1, "é", 9007199254740993, 0.1234567890123456789]text90071992547409931.50',
    });
  });

  it("refuses a body with more members than a form has fields", async () => {
    const rowhouse = await withQueries(queries);
    const members = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`m${at}`, at]));

    const { status, json: answer } = await rowhouse.post("/library/add", { headers: json, json: members });

    expect(status).to.equal(400);
    expect(answer.message).to.equal("A body has at most 20000 members");
  });

  it("may create a trigger, whose body has semicolons, and nothing beside it", async () => {
    const rowhouse = await withQueries({
      one: { sql: trigger("a"), write: true },
      two: { sql: `${trigger("b")}; ${trigger("c")}`, write: true },
      drops: { sql: `${trigger("d")}; drop table books`, write: true },
      deletes: { sql: "delete from books; select 1; end", write: true },
    });
    const messageOf = async (name: string): Promise<unknown> =>
      (await rowhouse.post(`/library/${name}`, { headers: json, json: {} })).json["message"];

    expect(await messageOf("one")).to.match(/^Query executed/);
    for (const name of ["two", "drops", "deletes"])
      expect(await messageOf(name)).to.equal("You can only execute one statement at a time.");
    expect(await rowhouse.query("select name from sqlite_schema where type = 'trigger'")).to.deep.equal([
      { name: "a" },
    ]);
  });

  describe("with RETURNING", () => {
    const returning = {
      add: { sql: "insert into books (title) values (:a), (:b) returning id, title as name", write: true },
      shout: {
        sql: "update books set title = upper(title) where id >= 1 returning id, title",
        write: true,
      },
      double: { sql: "insert into books values (9, 'x'), (1, 'x') returning id", write: true },
      plain: { sql: "delete from books", write: true },
    };
    const sql = `create table log (title); create trigger logged after update on books
      begin insert into log values (new.title); end`;

    it("returns the rows, and the next write succeeds", async () => {
      const rowhouse = await withQueries(returning, { sql });

      const added = await rowhouse.post("/library/add", {
        headers: json,
        json: { a: "Persuasion", b: "Susan" },
      });
      const changed = await rowhouse.post("/library/shout", { headers: json, json: {} });
      const refused = await rowhouse.post("/library/double", { headers: json, json: {} });
      const gone = await rowhouse.post("/library/plain", { headers: json, json: {} });

      expect(added.json).to.deep.equal({
        ok: true,
        message: "Query executed, 2 rows affected",
        redirect: null,
        rows: [
          { id: 2, name: "Persuasion" },
          { id: 3, name: "Susan" },
        ],
        truncated: false,
      });
      expect(changed.json.rows).to.deep.equal([
        { id: 1, title: "EMMA" },
        { id: 2, title: "PERSUASION" },
        { id: 3, title: "SUSAN" },
      ]);
      expect(refused.json).to.deep.equal({
        ok: false,
        message: "UNIQUE constraint failed: books.id",
        redirect: null,
      });
      expect(gone.json.message).to.equal("Query executed, 3 rows affected");
      expect(await rowhouse.query("select title from log")).to.have.length(3);
    });

    it("brings no more rows than a page has, and writes all of them", async () => {
      const rowhouse = await withQueries(returning, { settings: { max_returned_rows: 1 } });

      const reply = await rowhouse.post("/library/add", {
        headers: json,
        json: { a: "Persuasion", b: "Susan" },
      });

      expect(reply.json.rows).to.deep.equal([{ id: 2, name: "Persuasion" }]);
      expect(reply.json.truncated).to.equal(true);
      expect(await rowhouse.rows("books")).to.have.length(3);
    });

    it("keeps integers, reals and blobs exact", async () => {
      const rowhouse = await withQueries({
        exact: {
          sql: "update books set title = x'00ff' returning 9007199254740993 as i, 1.0 as r, title",
          write: true,
        },
      });

      const { text } = await rowhouse.post("/library/exact", { headers: json, json: {} });

      expect(text).to.include(
        '"rows": [{"i": 9007199254740993, "r": 1.0, "title": {"$base64": true, "encoded": "AP8="}}]',
      );
    });

    it("leads a form on to its page", async () => {
      const rowhouse = await withQueries(returning);

      expect((await rowhouse.post("/library/add", { form: { a: "x", b: "y" } })).status).to.equal(302);
      expect(await rowhouse.rows("books")).to.have.length(3);
    });

    it("leaves the table free for those who write through the API", async () => {
      const rowhouse = await withQueries(returning);

      await rowhouse.post("/library/add", { headers: json, json: { a: "x", b: "y" } });
      const inserted = await rowhouse.post("/library/books/-/insert", {
        as: "root",
        json: { row: { title: "z" } },
      });

      expect(inserted.status).to.equal(201);
      expect(await rowhouse.rows("books")).to.have.length(4);
    });

    it("of a client that has left is written whole, and the next one is served", async () => {
      const rowhouse = await withQueries(returning);
      const body = '{"a": "x", "b": "y"}';
      const socket = connect(rowhouse.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.end(
        `POST /library/add HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        () => socket.destroy(),
      );
      await once(socket, "close");

      const { status } = await rowhouse.post("/library/add", { headers: json, json: { a: "x", b: "y" } });

      expect(status).to.equal(200);
      expect((await rowhouse.rows("books")).length).to.be.oneOf([3, 5]);
    });
  });

  it("shows the configured error message", async () => {
    const rowhouse = await withQueries(queries);

    const reply = await rowhouse.post("/library/broken", { headers: json, json: { title: "x" } });

    expect(reply.status).to.equal(200);
    expect(reply.json).to.deep.equal({ ok: false, message: "Sorry", redirect: null });
  });

  it("of a form leads on to the configured page with a message", async () => {
    const rowhouse = await withQueries(queries);

    const reply = await rowhouse.post("/library/thanks", { form: { title: "x" } });

    expect(reply.status).to.equal(302);
    expect(reply.headers).to.include({ location: "/library/books", link: "</library/books>; rel=preload" });
    expect(reply.headers["set-cookie"]?.[0]).to.match(/^rowhouse_messages=/);
  });

  it("answers 400 to a body that only looks like JSON", async () => {
    const rowhouse = await withQueries(queries);

    const reply = await rowhouse.post("/library/add", { headers: json, body: "{title: x}" });

    expect(reply.status).to.equal(400);
    expect(reply.json.message).to.match(/^Invalid JSON: /);
  });

  it("answers 400 to JSON nested beyond all measure", async () => {
    const rowhouse = await withQueries(queries);
    const body = `{"title": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;

    expect((await rowhouse.post("/library/add", { headers: json, body })).status).to.equal(400);
  });

  it("answers 405 where the query only reads, and 404 where there is none", async () => {
    const rowhouse = await withQueries(queries);

    expect((await rowhouse.post("/library/read", { form: {} })).status).to.equal(405);
    expect((await rowhouse.post("/library/nosuch", { form: {} })).status).to.equal(404);
  });
});
