import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { openRaw } from "../../harness/raw-sqlite.js";
import { rowhouseFor, type RequestOptions, type TestReply, type TestRowhouse } from "../../harness/index.js";

const contents = {
  tables: { books: [{ id: 1, title: "Emma", scan: new Uint8Array([255, 1]) }] },
  metadata: { databases: { library: { queries: { titles: "select title from books" } } } },
};

const PAGES = [
  "/.json",
  "/",
  "/library.json",
  "/library",
  "/library/books.json",
  "/library/books",
  "/library/books.json?title__contains=E&_facet=title",
  "/library/books.json?_shape=array&_nl=on&_stream=on",
  "/library/books.csv",
  "/library/books.csv?_stream=on",
  "/library/books/1.json",
  "/library/books/1.blob?_blob_column=scan",
  "/library/titles.json",
  "/library/titles.csv",
  "/library.json?sql=select+title+from+books",
  "/library.csv?sql=select+title+from+books&_stream=on",
];

const again = (
  rowhouse: TestRowhouse,
  path: string,
  before: TestReply,
  options: RequestOptions = {},
): Promise<TestReply> =>
  rowhouse.get(path, {
    ...options,
    headers: { ...options.headers, "if-none-match": String(before.headers.etag) },
  });

const refuse = (sql: string): never => {
  throw new Error(`This should not have run: ${sql}`);
};

/** The rows of the database were not touched while `act` ran. */
async function withoutReading({ rowhouse }: TestRowhouse, act: () => Promise<void>): Promise<void> {
  const database = rowhouse.database("library");
  const kept = { read: database.read, readJson: database.readJson };
  Object.assign(database, { read: refuse, readJson: refuse, stream: refuse, streamJson: refuse });
  await act();
  Object.assign(database, kept);
}

describe("Every page of data", () => {
  for (const path of PAGES) {
    it(`has a tag, and 304 for it without running a query: ${path}`, async () => {
      const rowhouse = await rowhouseFor(contents);
      const before = await rowhouse.get(path);
      expect(before.status).to.equal(200);
      expect(before.headers.etag).to.match(/^W\/"[\w-]{22}"$/);

      await withoutReading(rowhouse, async () => {
        const reply = await again(rowhouse, path, before);

        expect(reply.status, reply.text).to.equal(304);
        expect(reply.text).to.equal("");
        expect(reply.headers.vary).to.include(before.headers.vary);
        for (const name of ["etag", "cache-control"]) {
          expect(reply.headers[name], name).to.equal(before.headers[name]);
        }
      });
    });

    it(`has the headers of GET for HEAD, and no body: ${path}`, async () => {
      const rowhouse = await rowhouseFor(contents);

      const { date: _date, "x-request-id": _id, ...get } = (await rowhouse.get(path)).headers;
      const reply = await rowhouse.request("HEAD", path);
      const { date: _when, "x-request-id": _headId, ...head } = reply.headers;

      // The length is given if it is known without making the body.
      const known = head["content-length"] === undefined ? { ...get, "content-length": undefined } : get;
      const { "content-length": _length, "transfer-encoding": _coding, ...expected } = known;
      const { "content-length": _headLength, "transfer-encoding": _headCoding, ...found } = head;
      expect(reply.text).to.equal("");
      expect(found).to.deep.equal(expected);
    });

    it(`differs by who asks: ${path}`, async () => {
      const reply = await (await rowhouseFor(contents)).get(path);

      expect(reply.headers.vary)
        .to.match(/\bCookie\b/)
        .and.match(/\bAuthorization\b/);
    });
  }

  it("keeps its tag under the masks of a form token, which all fit, and loses it with another token", async () => {
    const rowhouse = await rowhouseFor(contents);
    const withToken = (text: string): RequestOptions => {
      const cookie = `rowhouse_csrf=${rowhouse.rowhouse.sign(text, "csrf")}`;
      return { as: "ann", headers: { cookie, "accept-encoding": "gzip" } };
    };
    const mine = withToken("0123456789abcdef");

    const first = await rowhouse.get("/library/books", mine);
    const second = await rowhouse.get("/library/books", mine);

    expect(gunzipSync(first.bytes).toString()).not.to.equal(gunzipSync(second.bytes).toString());
    expect(first.headers.etag).to.match(/^W\//).and.to.equal(second.headers.etag);
    expect((await again(rowhouse, "/library/books", first, mine)).status).to.equal(304);
    const other = withToken("fedcba9876543210");
    expect((await again(rowhouse, "/library/books", first, other)).status).to.equal(200);
  });
});

describe("A tag moves with", () => {
  const PATH = "/library/books.json";
  const changes: Readonly<Record<string, (rowhouse: TestRowhouse) => Promise<unknown>>> = {
    "a change of the data": ({ rowhouse }) =>
      rowhouse
        .database("library")
        .write((transaction) => transaction.run("update books set title = 'Persuasion'")),
    "a change of the data by another program": async (rowhouse) => {
      const other = await openRaw(rowhouse.file());
      await other.run("insert into books (title) values ('Persuasion')");
      await other.close();
    },
    "a change of the schema": ({ rowhouse }) =>
      rowhouse
        .database("library")
        .write((transaction) => transaction.run("create table shelves (id integer)")),
    "metadata that is reloaded": ({ rowhouse }) => rowhouse.service("metadata").reload(),
  };
  for (const [change, make] of Object.entries(changes)) {
    it(change, async () => {
      const rowhouse = await rowhouseFor(contents);
      const before = await rowhouse.get(PATH);

      await make(rowhouse);

      expect((await again(rowhouse, PATH, before)).status).to.equal(200);
    });
  }

  it("the actor, by cookie or token", async () => {
    const rowhouse = await rowhouseFor(contents);
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const before = await rowhouse.get(PATH);

    for (const options of [{ as: "ann" }, { as: "bob" }, { token }]) {
      expect((await again(rowhouse, PATH, before, options)).status).to.equal(200);
    }
  });

  it("the answers of a permission plugin", async () => {
    const open = new Set(["execute-sql"]);
    const plugin = definePlugin({
      name: "moods",
      permission_allowed: (_rowhouse, { action }) => (action === "execute-sql" ? open.has(action) : null),
    });
    const rowhouse = await rowhouseFor({ ...contents, plugins: [plugin] });
    const before = await rowhouse.get(PATH);
    const unchanged = await again(rowhouse, PATH, before);

    open.clear();
    const changed = await again(rowhouse, PATH, before);

    expect([unchanged.status, changed.status]).to.deep.equal([304, 200]);
    expect(changed.json.allow_execute_sql).to.equal(false);
  });
});

describe("A private page", () => {
  const closed = {
    ...contents,
    metadata: { databases: { library: { allow: { id: "ann" } } } },
  };
  for (const path of ["/library/books.json", "/library/books", "/library.json?sql=select+1&_ttl=600"]) {
    it(`is kept by no shared cache: ${path}`, async () => {
      const rowhouse = await rowhouseFor(closed);

      const { headers, status } = await rowhouse.get(path, { as: "ann" });

      expect(status).to.equal(200);
      expect(headers["cache-control"])
        .to.match(/\bprivate\b/)
        .and.not.match(/\bpublic\b/);
    });

    it(`is no 304 for other clients that know its tag: ${path}`, async () => {
      const rowhouse = await rowhouseFor(closed);
      const known = await rowhouse.get(path, { as: "ann" });

      expect((await again(rowhouse, path, known)).status).to.equal(403);
    });
  }
});

describe("If-None-Match", () => {
  it("may name a thousand tags", async () => {
    const rowhouse = await rowhouseFor(contents);
    const { headers } = await rowhouse.get("/library/books.json");
    const others = Array.from({ length: 250 }, (_, index) => `"tag ${index}"`);

    const hit = await rowhouse.get("/library/books.json", {
      headers: { "if-none-match": [...others, headers.etag].join(", ") },
    });
    const miss = await rowhouse.get("/library/books.json", {
      headers: { "if-none-match": others.join(",") },
    });

    expect([hit.status, miss.status]).to.deep.equal([304, 200]);
  });
});
