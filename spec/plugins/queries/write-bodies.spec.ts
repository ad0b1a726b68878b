import { expect } from "chai";
import { rowhouseFor, type Contents, type TestRowhouse } from "rowhouse/testing";

const withQuery = (query: object, contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    ...contents,
    tables: { books: [{ id: 1, title: "Emma" }] },
    metadata: {
      databases: {
        library: {
          queries: { add: { sql: "insert into books (title) values (:title)", write: true, ...query } },
        },
      },
    },
  });

describe("The body of a POST to a canned query", () => {
  for (const [what, body, message] of [
    [
      "has a surrogate without its pair",
      String.raw`{"title": "\ud83d"}`,
      "The value of title has a surrogate without its pair",
    ],
    [
      "is JSON in another encoding",
      Buffer.from('{"title": "caf\u00e9"}', "latin1"),
      "The body is not UTF-8 text",
    ],
    ["is a form in another encoding", Buffer.from("title=caf\u00e9", "latin1"), "The body is not UTF-8 text"],
  ] as const) {
    it(`that ${what} stores no other characters instead`, async () => {
      const rowhouse = await withQuery({});

      const refused = await rowhouse.post("/library/add?_json=1", { body });

      expect(refused.status).to.equal(400);
      expect(refused.json).to.deep.equal({ ok: false, message, redirect: null });
      expect(await rowhouse.rows("books")).to.have.length(1);
    });
  }
});

describe("A form that a canned query writes", () => {
  it("has the first of repeated fields", async () => {
    const rowhouse = await withQuery({});

    await rowhouse.post("/library/add?_json=1", { body: "title=Persuasion&title=Sanditon" });
    await rowhouse.post("/library/add?_json=1", { body: '\n{"title": "Emma"}\n' });

    expect((await rowhouse.rows("books")).map(({ title }) => title)).to.deep.equal([
      "Emma",
      "Persuasion",
      "Emma",
    ]);
  });

  it("leads to the page for errors, with a message that looks like one, if the statement fails", async () => {
    const rowhouse = await withQuery({
      sql: "insert into nosuch values (:title)",
      on_success_redirect: "/library/books",
      on_error_redirect: "/library",
      on_error_message: "",
    });

    const { status, headers } = await rowhouse.post("/library/add", { form: { title: "Persuasion" } });

    expect([status, headers["location"]]).to.deep.equal([302, "/library"]);
    const cookie = headers["set-cookie"]?.find((one) => one.startsWith("rowhouse_messages="));
    const page = await rowhouse.get("/library", { headers: { cookie: cookie?.split(";")[0] ?? "" } });
    expect(page.text).to.match(/class="message message-error"[^>]*>no such table: nosuch/);
  });
});

describe("A POST with _json to a canned query", () => {
  it("is refused with JSON for an immutable database", async () => {
    const rowhouse = await withQuery({}, { immutable: ["library"] });

    const refused = await rowhouse.post("/library/add?_json=1", { form: { title: "Persuasion" } });

    expect(refused.status).to.equal(403);
    expect(refused.json).to.include({ ok: false, error: "Database is immutable", status: 403 });
  });
});

describe("The redirect after a canned query", () => {
  for (const [configured, location] of [
    ["/library/b\u00fccher", "/library/b%C3%BCcher"],
    ["/library/\u672c", "/library/%E6%9C%AC"],
    ["//library.example/thanks", "/library.example/thanks"],
  ] as const) {
    it(`to ${configured} is the same in Location and Link`, async () => {
      const rowhouse = await withQuery({ on_success_redirect: configured });

      const { status, headers } = await rowhouse.post("/library/add", { form: { title: "Persuasion" } });

      expect(status).to.equal(302);
      expect(headers).to.include({ location, link: `<${location}>; rel=preload` });
    });
  }
});

describe("A canned query that writes to an immutable database", () => {
  it("is refused with the document of other refusals", async () => {
    const rowhouse = await withQuery({}, { immutable: ["library"] });

    const { status, json } = await rowhouse.post("/library/add?_json=1", { json: { title: "Emma" } });

    expect(status).to.equal(403);
    expect(json).to.deep.equal({
      ok: false,
      error: "Database is immutable",
      status: 403,
      title: "Forbidden",
    });
  });
});
