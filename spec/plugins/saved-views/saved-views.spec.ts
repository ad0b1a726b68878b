import { expect } from "chai";
import type { Actor } from "rowhouse/plugin-api";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { openRaw } from "../../harness/raw-sqlite.js";

const JSON_HEADERS = { "content-type": "application/json" };

describe("saved views", () => {
  let rowhouse: TestRowhouse;
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-views-"));
    rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }], closed: [{ id: 1 }] },
      options: { internal: join(folder, "internal.db") },
      metadata: {
        databases: {
          library: {
            tables: { closed: { allow: { id: "ann" } } },
            permissions: { "save-view": { id: ["ann", "bob", "root", 1, "1", "=1", '="=1"'] } },
          },
        },
      },
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const save = (as: Actor | string | undefined, view: object, table = "books") =>
    rowhouse.post(`/library/${table}/-/views`, {
      headers: JSON_HEADERS,
      body: JSON.stringify(view),
      ...(as !== undefined && { as }),
    });
  const names = async (as?: Actor | string, table = "books"): Promise<string[]> => {
    const { json } = await rowhouse.get(`/library/${table}/-/views.json`, as === undefined ? {} : { as });
    return json.views.map(({ name }: { name: string }) => name);
  };
  const remove = (as: string, id: string) =>
    rowhouse.post(`/library/books/-/views/${id}/delete`, { headers: JSON_HEADERS, body: "{}", as });

  it("have a name, an owner and an address, and replace those of the same name", async () => {
    const first = await save("ann", { name: " Short ", query: "?title__contains=m&_next=5&_order=-title" });
    const again = await save("ann", { name: "Short", query: "title=Emma", fragment: "#chart=bar&x=title" });

    expect(first.status, first.text).to.equal(201);
    expect(first.json.view).to.include({
      name: "Short",
      query: "title__contains=m&_order=-title",
      private: true,
      owner: "ann",
    });
    expect(again.json.view.id).to.equal(first.json.view.id);
    expect(again.json.view.url).to.equal(`${rowhouse.origin}/library/books?title=Emma#chart=bar&x=title`);
    expect(await names("ann")).to.deep.equal(["Short"]);
  });

  it("are at most 1,000 of one actor, who can still replace them", async () => {
    const { json } = await save("root", { name: "View 1" });
    const internal = await openRaw(join(folder, "internal.db"));
    const columns = "database_name, table_name, owner, query, fragment, is_private, saved";
    await internal.run(
      `with recursive n(i) as (select 2 union all select i + 1 from n where i < 1000) insert into saved_views
        (id, name, ${columns}) select 'v' || i, 'View ' || i, ${columns} from n, saved_views where id = '${json.view.id}'`,
    );

    const more = await save("root", { name: "One more" });
    const replaced = await save("root", { name: "View 1", query: "title=Emma" });

    expect([more.status, more.json.errors]).to.deep.equal([
      400,
      ["An actor can save 1000 views. Delete one first"],
    ]);
    expect([replaced.status, replaced.json.view.query]).to.deep.equal([201, "title=Emma"]);
    expect(await names("root"))
      .to.have.length(1000)
      .and.not.include("One more");
    await internal.run("delete from saved_views where owner = 'root'");
    await internal.close();
  });

  it("list those of the actor first, and displace no shared one of others by a thousand of one actor", async () => {
    await save("bob", { name: "Zebra" });
    await save({ id: 1 }, { name: "Zenith", private: false });
    const { json } = await save("root", { name: "A", private: false });
    const internal = await openRaw(join(folder, "internal.db"));
    const columns = "database_name, table_name, query, fragment, is_private, saved";
    await internal.run(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < 1999) insert into saved_views
        (id, owner, name, ${columns}) select 'v' || i, 'owner ' || i % 2, 'A' || i, ${columns} from n, saved_views where id = '${json.view.id}'`,
    );

    const listed = await names("bob");
    await internal.run("delete from saved_views");
    await internal.close();

    expect([listed[0], listed[1], listed.at(-1)]).to.deep.equal(["Zebra", "A", "Zenith"]);
  });

  it("redirect to their rows, whatever characters they contain", async () => {
    const form = { name: "Odd", query: "title=Zoë 😀\r\nSet-Cookie: a=b", fragment: "chart=bar&x=\u0000" };
    const made = await rowhouse.post("/library/books/-/views", { as: "ann", form });

    expect(made.status, made.text).to.equal(303);
    expect(made.headers.location).to.equal(
      "/library/books?title=Zo%C3%AB%20%F0%9F%98%80%0D%0ASet-Cookie:%20a=b#chart=bar&x=%00",
    );
    expect(String(made.headers["set-cookie"])).not.to.include("a=b");
    const tooLong = { name: "Long", query: "title=" + "ë".repeat(5000) };
    expect((await rowhouse.post("/library/books/-/views", { as: "ann", form: tooLong })).status).to.equal(
      414,
    );
    expect(await names("ann")).not.to.include("Long");
    const { json } = await rowhouse.get("/library/books/-/views.json", { as: "ann" });
    for (const { id } of json.views) await remove("ann", id);
  });

  it("that are private are seen and deleted by their owner alone", async () => {
    const { json } = await save("ann", { name: "Mine" });
    await save("bob", { name: "Mine" });

    expect(await names("bob")).to.deep.equal(["Mine"]);
    expect(await names("root")).to.deep.equal([]);
    expect(await names()).to.deep.equal([]);
    for (const as of ["bob", "root"]) {
      const denied = await remove(as, json.view.id);
      const missing = await remove(as, "0123456789abcdef");
      expect([denied.status, denied.text]).to.deep.equal([missing.status, missing.text]);
      expect(denied.status).to.equal(404);
    }
    const page = await rowhouse.get("/library/books/-/views", { as: "bob" });
    expect(page.text).not.to.include(json.view.id);
    expect((await remove("ann", json.view.id)).json).to.deep.equal({ ok: true, deleted: json.view.id });
    expect(await names("ann")).not.to.include("Mine");
    expect(await names("bob")).to.include("Mine");
    expect((await rowhouse.get("/-/jump.json?q=mine", { as: "root" })).text).not.to.include('"view"');
  });

  it("that are private are not shared by actors whose ids are equal only as text", async () => {
    const actors = [1, "1", "=1", '="=1"'].map((id) => ({ id }));
    for (const actor of actors) {
      const { status, text } = await save(actor, { name: `Of ${JSON.stringify(actor.id)}` });
      expect(status, text).to.equal(201);
    }

    for (const actor of actors) {
      const listed = (await names(actor)).filter((name) => name.startsWith("Of "));
      expect(listed).to.deep.equal([`Of ${JSON.stringify(actor.id)}`]);
    }
  });

  it("that are shared are seen by all who may view the table, and deleted by their owner and root", async () => {
    const { json } = await save("ann", { name: "Ours", private: false });
    const hidden = await save("ann", { name: "Secret table", private: false }, "closed");

    expect(hidden.status).to.equal(201);
    expect(await names()).to.include("Ours");
    expect((await rowhouse.get("/library/closed/-/views.json", { as: "bob" })).status).to.equal(403);
    expect((await rowhouse.get("/-/jump.json?q=secret", { as: "bob" })).text).not.to.include("Secret table");
    expect((await rowhouse.get("/-/jump.json?q=ours", { as: "bob" })).text).to.include('"Ours"');
    expect((await remove("bob", json.view.id)).status).to.equal(403);
    expect((await remove("root", json.view.id)).status).to.equal(200);
  });

  for (const [as, status] of [
    [undefined, 403],
    ["cid", 403],
    ["bob", 201],
  ] as const) {
    it(`are ${status === 201 ? "saved" : "not saved"} by ${as ?? "anonymous clients"}`, async () => {
      expect((await save(as, { name: "Any" })).status).to.equal(status);
    });
  }

  for (const [view, error] of [
    [{ name: " " }, "A view needs a name"],
    [{ name: "x".repeat(101) }, "Names have at most 100 characters"],
    [{ name: "x", query: "a".repeat(8001) }, "Views have at most 8000 characters"],
    [{ name: "x", private: "yes" }, "private must be true or false"],
    [{ name: "x", share: true }, "Unknown key: share. Use name, query, fragment, private"],
    [[], "The body must be a JSON object"],
  ] as const) {
    it(`are refused: ${error}`, async () => {
      const { status, json } = await save("ann", view);

      expect(status).to.equal(400);
      expect(json.errors).to.deep.equal([error]);
    });
  }

  it("are saved and deleted by forms", async () => {
    const page = await rowhouse.get("/library/books/-/views?query=title%3DEmma", { as: "ann" });
    const form = { name: "By form", query: "title=Emma" };
    const saved = await rowhouse.post("/library/books/-/views", { as: "ann", form });

    expect(page.text).to.include('name="query" value="title=Emma"');
    expect(saved.status, saved.text).to.equal(303);
    expect(saved.headers.location).to.equal("/library/books?title=Emma");
    const { json } = await rowhouse.get("/library/books/-/views.json", { as: "ann" });
    const { id } = json.views.find((view: { readonly name: string }) => view.name === "By form");
    const removed = await rowhouse.post(`/library/books/-/views/${id}/delete`, { as: "ann", form: {} });

    expect([removed.status, removed.headers.location]).to.deep.equal([303, "/library/books/-/views"]);
    expect(await names("ann")).not.to.include("By form");
  });

  it("are offered by the page of the table, with its filters", async () => {
    const { text } = await rowhouse.get("/library/books?title=Emma&_next=3", { as: "ann" });

    expect(text).to.include('href="/library/books/-/views?query=title%3DEmma"');
  });

  it("are in the description of the API", async () => {
    const { json } = await rowhouse.get("/-/openapi.json", { as: "ann" });

    expect(json.paths).to.include.keys("/library/books/-/views.json", "/library/books/-/views");
    expect(json.components.schemas).to.have.property("SavedView");
  });

  it("are saved, in the description of the API, by actors who may", async () => {
    for (const options of [{}, { as: "eve" }]) {
      const { json } = await rowhouse.get("/-/openapi.json", options);

      expect(json.paths).to.include.keys("/library/books/-/views.json");
      expect(json.paths).not.to.include.keys("/library/books/-/views");
      expect(json.paths).not.to.include.keys("/library/books/-/views/{view}/delete");
    }
  });

  it("are nowhere without the file that keeps them", async () => {
    const other = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    expect((await other.get("/library/books/-/views")).status).to.equal(404);
    expect((await other.get("/library/books", { as: "ann" })).text).not.to.include("Saved views");
  });
});
