import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";
import type { TestRowhouse } from "rowhouse/testing";

const withQueries = (queries: object): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    metadata: { databases: { library: { queries } } },
  });

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

  it("of an unknown kind are NULL", async () => {
    const rowhouse = await withQueries({ odd: "select :_no_such is null as none" });

    expect((await rowhouse.get("/library/odd.json")).json.rows).to.deep.equal([[1]]);
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
});

describe("Canned queries of plugins", () => {
  it("stand beside those of the metadata and win over equal names", async () => {
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

  it("binds numbers as the text they were written with, and null, booleans and lists by their type", async () => {
    const rowhouse = await withQueries({
      add: {
        sql: "insert into books (title) values (typeof(:a) || :a || (:b is null) || :c || :d)",
        write: true,
      },
    });

    await rowhouse.post("/library/add", {
      headers: json,
      body: '{"a": 9007199254740993.0, "b": null, "c": true, "d": [1, "x"]}',
    });

    expect((await rowhouse.rows("books"))[1]).to.deep.include({ title: 'text9007199254740993.011[1, "x"]' });
  });

  it("says what went wrong in the configured words", async () => {
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
