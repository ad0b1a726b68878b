import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";
import { openRaw } from "../../harness/raw-sqlite.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const PATH = "/library/books/1.json";

// A page that is made again has another `query_ms`.
describe("A reply that was sent before", () => {
  it("is sent again while nothing has changed", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const first = await rowhouse.get(PATH);

    const second = await rowhouse.get(PATH);

    expect(second.text).to.equal(first.text);
    expect(second.headers.etag).to.equal(first.headers.etag);
  });

  it("is made again after a write of another process", async () => {
    const rowhouse = await rowhouseFor({ tables });
    await rowhouse.get(PATH);
    const other = await openRaw(rowhouse.file());
    for (const title of ["Persuasion", "Lady Susan", "Sanditon"]) {
      await other.run(`update books set title = '${title}'`);

      expect((await rowhouse.get(PATH)).json.rows).to.deep.equal([[1, title]]);
    }
    await other.close();
  });

  it("is for the visitor, the address and the host it was made for", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const first = await rowhouse.get(PATH);

    const others = [
      await rowhouse.get(PATH, { as: "ann" }),
      await rowhouse.get(`${PATH}?_shape=objects`),
      await rowhouse.get(PATH, { headers: { host: "elsewhere.example" } }),
    ];

    for (const other of others) expect(other.text).not.to.equal(first.text);
  });

  it("is no reply to HEAD, from which a plugin may leave out the body", async () => {
    const shout = definePlugin({
      name: "shout",
      deterministic: true,
      register_output_renderer: () => ({
        extension: "shout",
        wants: () => ({ rows: "arrays", infinity: "null", parts: new Set(), labels: false, stream: false }),
        render: (_page, { request }) => reply.text(request.method === "HEAD" ? "" : "BOOKS"),
      }),
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [shout] });

    const asked = await rowhouse.request("HEAD", "/library/books.shout");
    const shown = await rowhouse.get("/library/books.shout");

    expect([asked.status, shown.text]).to.deep.equal([200, "BOOKS"]);
  });

  it("is kept from who may not see it any more", async () => {
    const open = { books: true };
    const gate = definePlugin({
      name: "gate",
      permission_allowed: (_rowhouse, { action }) => (action === "view-table" ? open.books : null),
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [gate] });
    expect((await rowhouse.get(PATH)).status).to.equal(200);
    open.books = false;

    expect((await rowhouse.get(PATH)).status).to.equal(403);
  });

  it("may be a page for clients without cookies, and no page of other clients", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const took = async (options = {}): Promise<string> =>
      /Queries took ([\d.]+)ms/.exec((await rowhouse.get("/library/books", options)).text)?.[1] ?? "";
    const first = await took();

    expect(first).to.match(/\d/);
    expect(await took()).to.equal(first);
    const withCookie = { headers: { cookie: "a=b" } };
    expect(await took(withCookie)).not.to.equal(first);
    expect(await took(withCookie)).not.to.equal(await took(withCookie));
  });

  it("hides no message that waits for a visitor", async () => {
    const rowhouse = await rowhouseFor({ tables });
    await rowhouse.get("/library/books");
    const cookie = `rowhouse_messages=${rowhouse.rowhouse.sign([["Well done", 1]], "messages")}`;

    expect((await rowhouse.get("/library/books", { headers: { cookie } })).text).to.include("Well done");
    expect((await rowhouse.get("/library/books")).text).not.to.include("Well done");
  });

  it("is no page with a form of another client: each client gets its own token and cookie", async () => {
    const metadata = {
      databases: {
        library: { queries: { add: { sql: "insert into books (title) values (:title)", write: true } } },
      },
    };
    const rowhouse = await rowhouseFor({ tables, metadata });
    const visits = [await rowhouse.get("/library/add"), await rowhouse.get("/library/add")];
    const tokens = visits.map(({ text }) => /name="csrftoken" value="([^"]+)"/.exec(text)?.[1]);

    expect(tokens[0]).to.be.a("string").and.not.to.equal(tokens[1]);
    for (const { headers } of visits) expect(String(headers["set-cookie"])).to.match(/^rowhouse_\w+=/);
  });

  for (const prefix of [":", "@", "$"]) {
    it(`is no result of a query with the magic parameter ${prefix}_header_x_region, which another client sends`, async () => {
      const queries = { region: `select ${prefix}_header_x_region as region` };
      const rowhouse = await rowhouseFor({ tables, metadata: { databases: { library: { queries } } } });
      const of = (region: string) =>
        rowhouse.get("/library/region.json?_shape=arrayfirst", { headers: { "x-region": region } });

      expect([(await of("north")).json, (await of("south")).json]).to.deep.equal([["north"], ["south"]]);
      expect((await of("north")).headers.etag).to.equal(undefined);
    });
  }

  it("is never kept with reply_cache_kb 0", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { reply_cache_kb: 0 } });

    expect((await rowhouse.get(PATH)).text).not.to.equal((await rowhouse.get(PATH)).text);
  });
});
